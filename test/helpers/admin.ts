import { request } from 'node:http'
import type { TestContext } from 'node:test'
import { type Admin, type AdminOptions, startAdmin } from '../../src/admin/admin.ts'
import type { Report } from '../../src/report/report.ts'

export async function startTestAdmin(
  t: TestContext,
  report: Report,
  options: Partial<AdminOptions> = {},
): Promise<Admin> {
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    token: '',
    metrics: report.metrics,
    live: {
      inFlight: report.inFlight,
      recent: report.recent,
      models: report.models,
      eventLoop: report.metrics.eventLoop,
      clock: () => 5000,
      wallClock: () => 1_796_000_005_000,
    },
    ready: () => true,
    page: { version: '1.2.3', proxyUrl: 'http://127.0.0.1:8484', gateways: ['main', 'spare'] },
    ...options,
  })
  t.after(() => admin.close())
  return admin
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A request whose headers, Host among them, are the test's own (fetch does not let them). */
export function ask(
  url: string,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: options.method ?? 'GET', headers: options.headers ?? {}, agent: false },
      (answer) => {
        let body = ''
        answer.setEncoding('utf8')
        answer.on('data', (text: string) => {
          body += text
        })
        answer.on('end', () => resolve({ status: answer.statusCode as number, headers: answer.headers, body }))
        answer.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}
