export interface AdminError {
  readonly status: number
  /** Stable. */
  readonly code: string
  readonly message: string
}

/** Every error of the second listener. */
export const adminErrors = {
  host: {
    status: 421,
    code: 'misdirected_request',
    message: 'This address is served for loopback names only. Use 127.0.0.1 or localhost.',
  },
  token: {
    status: 401,
    code: 'token_required',
    message: 'Send the admin token as "Authorization: Bearer", or as the password of Basic with any user.',
  },
  path: {
    status: 404,
    code: 'not_found',
    message: 'There are /, /live, /metrics, /healthz and /readyz here. Apps use the port of the proxy.',
  },
  exchange: {
    status: 404,
    code: 'exchange_not_found',
    message: 'This exchange is not among the last ones any more. The exchange log has it.',
  },
  viewers: { status: 503, code: 'too_many_viewers', message: 'Too many watch the live page already. Try again later.' },
  method: { status: 405, code: 'method_not_allowed', message: 'Use GET or HEAD.' },
  request: { status: 400, code: 'bad_request', message: 'The request could not be read.' },
  internal: {
    status: 500,
    code: 'internal_error',
    message: 'The answer could not be made. This is a fault of Streamgauge.',
  },
} as const satisfies Record<string, AdminError>
