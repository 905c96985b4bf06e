/** Where Chromium is, and how it is started: without a sandbox (containers have none), without talking to anybody. */
export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const chromiumFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
