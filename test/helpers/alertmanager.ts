import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parse } from 'yaml'
import { freePort } from '../../bench/free-port.ts'
import { startServer } from './prometheus.ts'
import { readSource } from './repository.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Our own configuration, told sooner and to the test's webhook. @returns host and port */
export async function startAlertmanager(t: TestContext, hook: string): Promise<string> {
  const config = parse(readSource('config/alertmanager/alertmanager.yml'))
  config.receivers[0].webhook_configs[0].url = hook
  for (const route of [config.route, ...config.route.routes])
    Object.assign(route, { group_wait: '0s', group_interval: '1s' })
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'alertmanager.yml'), JSON.stringify(config))
  const host = `127.0.0.1:${await freePort()}`
  await startServer(
    t,
    'prometheus-alertmanager',
    [
      `--config.file=${folder}/alertmanager.yml`,
      `--storage.path=${folder}/data`,
      `--web.listen-address=${host}`,
      '--cluster.listen-address=',
    ],
    `http://${host}/-/ready`,
  )
  return host
}
