import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { checkout } from '../helpers/checkout.ts'
import { listening, startProgram } from '../helpers/child-service.ts'
import { readSource } from '../helpers/repository.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

// npm's own scripts, by the Node that runs the test, from a cache where there is one.
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}

// It compiles and installs: on a busy machine that takes its time.
test('npm pack, installed in an empty folder, runs', { timeout: 280_000 }, async (t) => {
  const folder = temporaryFolder(t)
  const sources = checkout(join(folder, 'sources'))
  // Left from earlier: a file whose source is gone. Left by an editor: a map.
  mkdirSync(join(sources, 'dist/src'), { recursive: true })
  for (const name of ['dist/src/gone.js', 'config/old.map']) writeFileSync(join(sources, name), 'stale')
  const packed = execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: sources,
    env,
  })
  // npm 11 prints a list, npm 12 may print an object by package name.
  const parsed = JSON.parse(packed.toString().replace(/^[^[{]*/, ''))
  const [{ filename, files }] = Array.isArray(parsed) ? parsed : Object.values(parsed)
  const paths = (files as { path: string }[]).map(({ path }) => path).sort()

  await t.test('it holds what runs, what is configured and what is read', () => holdsWhatIsMeant(paths))
  await t.test('nothing that was left in dist gets in', () => assert.ok(!paths.includes('dist/src/gone.js')))

  const home = join(folder, 'elsewhere')
  mkdirSync(home)
  execFileSync('npm', ['init', '--yes', '--silent'], { cwd: home, env })
  execFileSync('npm', ['install', '--silent', '--omit=dev', join(folder, filename)], { cwd: home, env })

  await t.test('its command is executable and names its interpreter', () => {
    const main = join(home, 'node_modules/streamgauge/dist/src/main.js')
    assert.match(readFileSync(main, 'utf8'), /^#!\/usr\/bin\/env node\n/)
    assert.equal(statSync(main).mode & 0o111, 0o111)
    assert.ok(existsSync(join(home, 'node_modules/.bin/streamgauge')))
  })

  await t.test('npx streamgauge --version tells the version', () => {
    const { version } = JSON.parse(readSource('package.json'))
    assert.equal(
      execFileSync('npx', ['--no', '--', 'streamgauge', '--version'], { cwd: home, env }).toString(),
      `${version}\n`,
    )
  })

  await t.test('every command tells how it is used', () => {
    for (const command of ['serve', 'demo', 'simulate', 'bench', 'compare', 'check-config']) {
      const said = spawnSync('node_modules/.bin/streamgauge', [command, '--help'], { cwd: home, env, encoding: 'utf8' })
      assert.deepEqual([said.status, said.stderr], [0, ''], command)
    }
  })

  await t.test('the configuration that comes with it is valid', () => {
    for (const file of ['streamgauge.yaml', 'streamgauge.docker.yaml']) {
      const path = `node_modules/streamgauge/config/${file}`
      const said = spawnSync('node_modules/.bin/streamgauge', ['check-config', path], {
        cwd: home,
        env,
        encoding: 'utf8',
      })
      assert.equal(said.status, 0, said.stderr)
    }
  })

  await t.test('it serves, and stops on SIGTERM', { timeout: 30_000 }, async (t) => {
    const words = ['serve', '--gateway', 'http://127.0.0.1:9/v1', '--port', '0', '--admin-port', '0']
    const started = startProgram(t, join(home, 'node_modules/.bin/streamgauge'), words, { cwd: home, env })
    const { admin_url } = await listening(started)
    const page = await fetch(admin_url)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<html/)
    started.child.kill('SIGTERM')
    assert.deepEqual(await once(started.child, 'exit'), [0, null])
  })
})

function holdsWhatIsMeant(paths: readonly string[]): void {
  const kinds = [
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md)$/,
    /^dist\/src\/[\w/-]+\.(js|css|html|svg)$/,
    /^config\/[\w./-]+\.(yaml|yml|json)$/,
    /^deploy\/(nginx|haproxy|systemd)\/[\w.@-]+$/,
    /^grafana\/[\w./-]+\.(yaml|yml|json)$/,
    /^docs\/[\w./-]+\.(md|html|svg|png|webp)$/,
  ]
  assert.deepEqual(
    paths.filter((path) => !kinds.some((kind) => kind.test(path))),
    [],
  )
  for (const path of ['dist/src/main.js', 'LICENSE', 'README.md', 'config/streamgauge.yaml', 'docs/metrics.md'])
    assert.ok(paths.includes(path), path)
}
