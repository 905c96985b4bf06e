/** The fields of an exchange's log line that the demo looks at. design.md, "The exchange log". */
export interface LoggedExchange {
  readonly gateway_request_id: string | null
  readonly model: string
  readonly outcome: string
  readonly marks: { readonly first_token: number | null; readonly last_token: number | null }
  readonly output: { readonly chunks: number }
  readonly figures: Readonly<Record<string, number>>
  readonly unmeasured: Readonly<Record<string, string>>
}

/** Takes the proxy's log and keeps its exchanges. */
export function collectExchanges(): { write(line: string): void; readonly exchanges: LoggedExchange[] } {
  const exchanges: LoggedExchange[] = []
  return {
    exchanges,
    write(lines) {
      for (const line of lines.split('\n')) {
        if (!line.includes('"msg":"exchange"')) continue
        exchanges.push(JSON.parse(line) as LoggedExchange)
      }
    },
  }
}
