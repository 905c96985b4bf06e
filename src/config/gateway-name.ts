import type * as z from 'zod'

/** First segments of paths that clients send anyway: a gateway so named would swallow them. */
const reserved = ['v1', 'api', 'openai']

export function checkGatewayName(name: string, context: z.core.$RefinementCtx<string>): void {
  const fault = faultOf(name)
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
}

function faultOf(name: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 80))
  if (reserved.includes(name.toLowerCase())) {
    return `${shown} is reserved (client paths begin with it); expected another name, such as "main"`
  }
  if (name.startsWith('@')) return `${shown} begins with @, which names an app in a path; expected a name without it`
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    return `got ${shown}; expected 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or a digit`
  }
  return undefined
}
