// Pictures of the live page, from a running demo: three widths in both colour schemes, one exchange, and the one in the README.
// Usage: npm run screenshots [-- FOLDER]   (needs Chromium; CHROMIUM tells where it is)
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { chromiumFlags, chromiumPath } from './chromium.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = process.argv[2] ?? join(root, 'dist/screenshots')
const readme = join(root, 'docs/images/live-page.png')

/** Traffic before the first picture, seconds. */
const warmUp = Number(process.env.WARM_UP ?? 3)

async function startDemo() {
  const demo = spawn(process.execPath, [join(root, 'dist/src/main.js'), 'demo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: demo.stdout })) {
    const [, address] = /^live page +(\S+)/.exec(line) ?? []
    if (address !== undefined) return { demo, address }
  }
  throw new Error('the demo did not start')
}

async function open(browser, address, options) {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForSelector('#exchange-rows tr:not(.spacer)')
  await delay(1000)
  return page
}

mkdirSync(folder, { recursive: true })
mkdirSync(join(root, 'docs/images'), { recursive: true })
const { demo, address } = await startDemo()
const browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumFlags })
try {
  await delay(warmUp * 1000)
  // At once: a demo is at its liveliest when it has just begun.
  const first = await open(browser, address, { colorScheme: 'light', viewport: { width: 1360, height: 900 } })
  await first.screenshot({ path: readme })
  await first.context().close()
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [400, 1200, 2000]) {
      const page = await open(browser, address, { colorScheme, viewport: { width, height: 1000 } })
      await page.screenshot({ path: join(folder, `${width}-${colorScheme}.png`), fullPage: true })
      await page.locator('#exchange-rows .open').first().click()
      await page.waitForSelector('dialog[open] .figures')
      await page.screenshot({ path: join(folder, `${width}-${colorScheme}-exchange.png`) })
      await page.context().close()
    }
  }
} finally {
  await browser.close()
  demo.kill('SIGTERM')
}
console.log(folder)
