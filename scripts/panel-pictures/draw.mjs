import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { startPrometheus } from '../../dist/test/helpers/prometheus.js'
import { chromiumFlags, chromiumPath } from '../chromium.mjs'
import { answered } from './ask.mjs'
import { smallPng } from './small-png.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders = [
  fileURLToPath(new URL('page', import.meta.url)),
  dirname(createRequire(import.meta.url).resolve('uplot')),
]
const types = { html: 'text/html', css: 'text/css', mjs: 'text/javascript', js: 'text/javascript' }
/** Never asked of the network: every request is answered from the folders. */
const origin = 'http://panels.invalid'
export const width = 1600

/** Opens the page that has `window.draw`. */
export async function openPanels(page) {
  await page.route(`${origin}/**`, async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1)
    const folder = folders.find((one) => readdirSync(one).includes(name))
    if (folder === undefined) return route.fulfill({ status: 404 })
    await route.fulfill({ path: join(folder, name), contentType: types[name.split('.').at(-1)] })
  })
  await page.goto(`${origin}/page.html`)
}

/** One picture a dashboard, FOLDER/dashboard-NAME.png, of a recording. */
export async function draw(t, recording, folder) {
  const { from, to } = JSON.parse(readFileSync(join(recording, 'recording.json'), 'utf8'))
  const prometheus = await startPrometheus(t, {
    config: {},
    data: join(recording, 'data'),
    flags: ['--enable-feature=exemplar-storage'],
  })
  const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumFlags })
  t.after(() => browser.close())
  const page = await browser.newPage({ viewport: { width, height: 900 } })
  page.on('pageerror', (error) => console.error(error.message))
  await openPanels(page)
  for (const file of readdirSync(join(root, 'grafana/dashboards'))) {
    const dashboard = JSON.parse(readFileSync(join(root, 'grafana/dashboards', file), 'utf8'))
    const shown = await answered(prometheus, dashboard, { from, to, width })
    const empty = await page.evaluate((data) => window.draw(data), shown)
    const path = join(folder, `dashboard-${file.replace('.json', '')}.png`)
    const picture = await smallPng(page, await page.screenshot({ fullPage: true }))
    writeFileSync(path, picture)
    const said = `${path}   ${Math.ceil(picture.length / 1024)} KiB`
    console.log(empty.length === 0 ? said : `${said}   empty: ${empty.join(', ')}`)
  }
}
