import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { startAlertmanager } from '../helpers/alertmanager.ts'
import { requireTool } from '../helpers/tools.ts'

type Labels = Readonly<Record<string, string>>

/** What Alertmanager tells of such alerts, and what it holds back for another's sake. */
async function toldOf(t: TestContext, alerts: readonly Labels[]): Promise<string[]> {
  const host = await startAlertmanager(t, 'http://127.0.0.1:9/')
  const answer = await fetch(`http://${host}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts.map((labels) => ({ labels, endsAt: new Date(Date.now() + 600_000).toISOString() }))),
  })
  assert.equal(answer.status, 200)
  for (;;) {
    const known = (await (await fetch(`http://${host}/api/v2/alerts`)).json()) as {
      labels: Labels
      status: { state: string }
    }[]
    // An alert is unprocessed until inhibition has been looked at.
    if (known.length === alerts.length && known.every(({ status }) => status.state !== 'unprocessed'))
      return known
        .filter(({ status }) => status.state === 'active')
        .map(({ labels }) => `${labels['alertname']} ${labels['severity']} ${labels['gateway'] ?? ''}`.trim())
        .sort()
    await delay(50)
  }
}

const alert = (name: string, severity: string, scope: string, about: string, more: Labels = {}): Labels => ({
  alertname: `Streamgauge${name}`,
  severity,
  scope,
  about,
  ...more,
})
const east = { gateway: 'east', model: 'a' }
const west = { gateway: 'west', model: 'a' }
const several = [
  alert('TtftRegression', 'page', 'model', 'ttft', east),
  alert('TtftRegression', 'ticket', 'model', 'ttft', east),
  alert('TtftRegression', 'ticket', 'model', 'ttft', west),
  alert('ErrorShare', 'page', 'model', 'errors', east),
]

test('a page silences its own ticket', async (t) => {
  if (!requireTool(t, 'prometheus-alertmanager')) return
  assert.deepEqual(await toldOf(t, several), [
    'StreamgaugeErrorShare page east',
    'StreamgaugeTtftRegression page east',
    'StreamgaugeTtftRegression ticket west',
  ])
})

test('a gateway that cannot be reached silences what is said of it', async (t) => {
  if (!requireTool(t, 'prometheus-alertmanager')) return
  const unreachable = alert('GatewayUnreachable', 'page', 'gateway', 'unreachable', { gateway: 'east' })
  assert.deepEqual(await toldOf(t, [...several, unreachable]), [
    'StreamgaugeGatewayUnreachable page east',
    'StreamgaugeTtftRegression ticket west',
  ])
})

test('a proxy that is down silences the rest, and nobody else', async (t) => {
  if (!requireTool(t, 'prometheus-alertmanager')) return
  const down = alert('ProxyDown', 'page', 'proxy', 'down', { job: 'streamgauge' })
  const foreign = { alertname: 'DiskFull', severity: 'page' }
  const stall = alert('EventLoopStall', 'ticket', 'proxy', 'stall', { instance: 'a:9484' })
  assert.deepEqual(await toldOf(t, [...several, stall, foreign, down]), ['DiskFull page', 'StreamgaugeProxyDown page'])
})
