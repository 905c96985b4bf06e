import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { freePort } from '../../bench/free-port.ts'
import { nginxMain, type ReferenceProxy, runProxy } from './reference-proxies.ts'
import { readSource } from './repository.ts'
import type { ServedProcess } from './served-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

const examples: Readonly<Record<ReferenceProxy, string>> = {
  nginx: 'deploy/nginx/streamgauge.conf',
  haproxy: 'deploy/haproxy/haproxy.cfg',
}

export interface Balancer {
  readonly url: string
  /** Takes a replica out before it is stopped, as docs/scaling.md says: HAProxy sees it by itself. */
  takeOut(replica: ServedProcess): Promise<void>
}

/** Starts the shipped example in front of these replicas; its addresses alone are exchanged. */
export async function startBalancer(
  t: TestContext,
  name: ReferenceProxy,
  replicas: readonly [ServedProcess, ServedProcess],
): Promise<Balancer> {
  const folder = temporaryFolder(t)
  const port = await freePort()
  let text = readSource(examples[name])
  const exchange = (from: RegExp, to: string): void => {
    assert.match(text, from)
    text = text.replace(from, to)
  }
  exchange(/127\.0\.0\.1:8484/, `127.0.0.1:${port}`)
  for (const [index, { proxyUrl, adminUrl }] of replicas.entries()) {
    exchange(new RegExp(`127\\.0\\.0\\.1:848${index + 1}`), new URL(proxyUrl).host)
    if (name === 'haproxy') exchange(new RegExp(`port 948${index + 1}`), `port ${new URL(adminUrl).port}`)
  }
  if (name === 'haproxy') exchange(/\/run\/haproxy\/admin\.sock/, `${folder}/admin.sock`)
  const whole = (example: string): string => (name === 'nginx' ? nginxMain(folder, example) : example)
  const running = await runProxy(t, name, folder, whole(text), port)
  return {
    url: `http://127.0.0.1:${port}`,
    async takeOut({ proxyUrl }) {
      const line = `server ${new URL(proxyUrl).host} fail_timeout=2s;`
      if (name === 'nginx') await running.reload(whole(text.replace(line, line.replace('fail_timeout=2s', 'down'))))
    },
  }
}
