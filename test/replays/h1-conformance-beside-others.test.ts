import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type H1Observation, h1Table, observe } from '../helpers/h1-case.ts'
import { type Script, startRawGateway } from '../helpers/raw-gateway.ts'
import { referenceProxies, startReferenceProxy } from '../helpers/reference-proxies.ts'
import { assertLive, startReplay } from '../helpers/replay.ts'
import { readSource } from '../helpers/repository.ts'
import { requireTool } from '../helpers/tools.ts'

const { cases, reasons } = h1Table()
const isNode22 = Number(process.versions.node.split('.')[0]) >= 22

const answer: Script = (_request, connection) => connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')

/** Refusals differ in their status and in whether there is one; what counts is that nothing went on. */
function told({ answers, seen, partly }: H1Observation): object | string {
  return seen.length === 0 && !partly ? 'refused' : { answers, seen, partly }
}

test('h1: every raw request has the same fate here and at well-known proxies, or a reason', {
  concurrency: 4,
}, async (t) => {
  const running = [
    ['passed through', '/v1/x'],
    ['a generation', '/v1/chat/completions'],
  ].map(([kind, path = '']) =>
    t.test(`streamgauge, ${kind}`, async (own) => {
      const replay = await startReplay(own, answer)
      const { gateway: origin, proxy } = replay
      const wrong: object[] = []
      for (const one of cases) {
        const request = one.request.replaceAll('/v1/x', path)
        const patienceMs = one.expect.answers.length === 0 ? 300 : 10_000
        const got = await observe(proxy.url, origin, { ...one, request }, patienceMs)
        const seen = got.seen.map((text) => text.replaceAll(path, '/v1/x'))
        const fate = { answers: got.answers, seen, partly: got.partly }
        const expected = { ...((isNode22 && one.expectFromNode22) || one.expect), partly: false }
        if (JSON.stringify(fate) !== JSON.stringify(expected)) wrong.push({ id: one.id, fate, expected })
      }
      assert.deepEqual(wrong, [])
      await assertLive(replay)
    }),
  )
  for (const name of referenceProxies) {
    running.push(
      t.test(name, async (own) => {
        if (!requireTool(own, name)) return
        const origin = await startRawGateway(own, answer)
        const url = await startReferenceProxy(own, name, origin.port)
        const unexplained: object[] = []
        for (const one of cases) {
          const fate = told(await observe(url, origin, one, 1500))
          const ours = told({ ...one.expect, partly: false })
          if (JSON.stringify(fate) === JSON.stringify(ours)) continue
          if (one.reason === undefined || one.differs?.includes(name) !== true)
            unexplained.push({ id: one.id, fate, ours })
        }
        assert.deepEqual(unexplained, [])
      }),
    )
  }
  await Promise.all(running)
})

test('h1: docs/reliability.md explains every difference', () => {
  const rows = Object.entries(reasons).map(([key, text]) => {
    const own = cases.filter(({ reason }) => reason === key)
    const others = referenceProxies.filter((name) => own.some(({ differs }) => differs?.includes(name)))
    return `| ${text} | ${own.map(({ id }) => id).join('; ')} | ${others.join(', ')} |`
  })
  const page = readSource('docs/reliability.md')
  for (const row of rows) assert.ok(page.includes(`${row}\n`), `not in docs/reliability.md:\n${row}`)
})
