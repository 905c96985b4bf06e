# docker build --tag streamgauge .
# docker run --rm --publish 127.0.0.1:8484:8484 --publish 127.0.0.1:9484:9484 streamgauge serve --gateway https://openrouter.ai/api/v1
# Other commands take the place of "serve": simulate, bench, check-config …

FROM node:24.21.0-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.page.json ./
COPY scripts scripts
COPY src src
# Source maps point at files that are not in the image.
RUN npm run build && find dist -name '*.map' -delete

FROM node:24.21.0-trixie-slim
LABEL org.opencontainers.image.title="Streamgauge" \
      org.opencontainers.image.description="An OpenAI-compatible measuring proxy" \
      org.opencontainers.image.licenses="Apache-2.0"
# A container's loopback is its own: what shall be reached from outside listens on every address, and is published on loopback only.
ENV NODE_ENV=production \
    STREAMGAUGE_HOST=0.0.0.0 \
    STREAMGAUGE_ADMIN_HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist/src dist/src
COPY package.json LICENSE ./
# By number, so that an orchestrator can tell that it is not root. The image's user "node"; it owns none of these files.
USER 1000:1000
EXPOSE 8484 9484
# /healthz asks for no token. A port other than 9484 must be set by STREAMGAUGE_ADMIN_PORT, not in the file, to be found here.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.STREAMGAUGE_ADMIN_PORT || 9484}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Where one core is all there is, garbage collection in threads delays the marks by milliseconds. NODE_OPTIONS refuses the first flag.
ENTRYPOINT ["node", "--single-threaded-gc", "--max-semi-space-size=2", "/app/dist/src/main.js"]
CMD ["serve"]
