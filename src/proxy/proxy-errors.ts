import { type ServerResponse, STATUS_CODES } from 'node:http'

/** Every answer that the proxy makes itself. The message says what happened and what to do; it names no address and no key. */
export interface ProxyError {
  /** Stable: for programs. */
  readonly code: string
  readonly status: number
  readonly type: 'invalid_request_error' | 'authentication_error' | 'server_error' | 'gateway_error'
  readonly message: string
  readonly retryAfterSeconds?: number
}

const catalogue = {
  bad_path: error(
    400,
    'invalid_request_error',
    'The request path is not one a gateway could be asked for: it must begin with a single "/" and hold no "." or ".." segments, backslashes or fragments.',
  ),
  bad_request: error(400, 'invalid_request_error', 'The request is not well-formed HTTP/1.1. It was not forwarded.'),
  connect_method: error(
    405,
    'invalid_request_error',
    'This is no forward proxy. Use its address as the base URL of the client, not as HTTP_PROXY or HTTPS_PROXY.',
  ),
  head_too_large: error(
    431,
    'invalid_request_error',
    'The head of the request is larger than proxy.maxHeaderBytes allows.',
  ),
  head_timeout: error(408, 'invalid_request_error', 'The head of the request did not arrive in time.'),
  upload_stall: error(
    408,
    'invalid_request_error',
    'The body of the request stopped arriving for longer than proxy.clientStall allows.',
  ),
  unknown_gateway: error(404, 'invalid_request_error', 'No gateway is configured.'),
  host_not_allowed: error(
    421,
    'invalid_request_error',
    'This Host is not allowed. Use the address the proxy listens on, or add the name to proxy.allowedHosts.',
  ),
  client_key: error(
    401,
    'authentication_error',
    'A key of this proxy is needed (proxy.clientKeys): send it as "Authorization: Bearer", "x-api-key" or "api-key".',
  ),
  body_too_large: error(413, 'invalid_request_error', 'The request body is larger than proxy.maxBodyBytes allows.'),
  websocket: error(501, 'invalid_request_error', 'WebSocket connections are not forwarded yet.'),
  overloaded: {
    ...error(503, 'server_error', 'The proxy carries as many exchanges as proxy.maxStreams allows. Try again shortly.'),
    retryAfterSeconds: 1,
  },
  draining: {
    ...error(503, 'server_error', 'The proxy is shutting down and takes no new requests. Try again shortly.'),
    retryAfterSeconds: 1,
  },
  no_descriptors: {
    ...error(
      503,
      'server_error',
      'The proxy has no file descriptors left for a connection to the gateway. Raise its limit (ulimit -n), or lower proxy.maxStreams.',
    ),
    retryAfterSeconds: 1,
  },
  internal: error(500, 'server_error', 'The proxy failed on this request. Its log says more.'),
  refused: error(502, 'gateway_error', 'The gateway refused the connection. Is it running, and is its URL right?'),
  dns: error(502, 'gateway_error', "The gateway's name could not be resolved. Is its URL right?"),
  unreachable: error(502, 'gateway_error', 'The gateway could not be reached.'),
  tls: error(
    502,
    'gateway_error',
    'TLS with the gateway failed: a certificate or the handshake was not accepted. The request was not answered.',
  ),
  reset: error(502, 'gateway_error', 'The gateway reset the connection before it answered.'),
  closed: error(502, 'gateway_error', 'The gateway closed the connection before it answered.'),
  malformed_answer: error(502, 'gateway_error', 'The answer of the gateway is not well-formed HTTP/1.1.'),
  headers_too_large: error(
    502,
    'gateway_error',
    'The head of the answer is larger than maxHeaderBytes of the gateway allows.',
  ),
  length_mismatch: error(502, 'gateway_error', 'The answer of the gateway is not as long as its Content-Length says.'),
  egress_proxy: error(
    502,
    'gateway_error',
    'The egress proxy (HTTP_PROXY, HTTPS_PROXY) opened no tunnel to the gateway.',
  ),
  request_refused: error(
    400,
    'invalid_request_error',
    'The request holds a header, method or body length that cannot be sent on.',
  ),
  bad_answer_header: error(502, 'gateway_error', 'The answer of the gateway holds a header that cannot be sent on.'),
  failed: error(502, 'gateway_error', 'The gateway gave no answer.'),
  connect_timeout: error(504, 'gateway_error', 'No connection to the gateway within timeouts.connect.'),
  first_byte_timeout: error(504, 'gateway_error', 'No byte of an answer from the gateway within timeouts.firstByte.'),
  idle_timeout: error(504, 'gateway_error', 'The gateway was silent for longer than timeouts.idle allows.'),
  total_timeout: error(504, 'gateway_error', 'The exchange took longer than timeouts.total allows.'),
} as const satisfies Record<string, Omit<ProxyError, 'code'>>

export type ProxyErrorCode = keyof typeof catalogue

export const proxyErrorCodes = Object.keys(catalogue) as ProxyErrorCode[]

export function proxyError(code: ProxyErrorCode, detail?: string): ProxyError {
  const found: Omit<ProxyError, 'code'> = catalogue[code]
  return { ...found, code, message: detail === undefined ? found.message : `${found.message} (${detail})` }
}

function error(status: number, type: ProxyError['type'], message: string): Omit<ProxyError, 'code'> {
  return { status, type, message }
}

/** The body of an error, in the form that OpenAI clients read. */
export function errorBody(problem: ProxyError): string {
  return JSON.stringify({
    error: { message: `Streamgauge: ${problem.message}`, type: problem.type, param: null, code: problem.code },
  })
}

/** Answers with an error, where nothing has been answered yet. */
export function sendError(response: ServerResponse, problem: ProxyError): void {
  if (response.headersSent || response.destroyed) return
  const body = Buffer.from(errorBody(problem))
  const headers: Record<string, string | number> = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  }
  if (problem.retryAfterSeconds !== undefined) headers['retry-after'] = problem.retryAfterSeconds
  // The phrase of a head that could not be written may still be set.
  response.writeHead(problem.status, STATUS_CODES[problem.status], headers)
  response.end(body)
}
