import assert from 'node:assert/strict'
import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { requireTool } from './tools.ts'

const { chromiumFlags, chromiumPath } = (await import(
  new URL('../../../scripts/chromium.mjs', import.meta.url).href
)) as { readonly chromiumFlags: string[]; readonly chromiumPath: string }

/** The service ends before its page does. */
const goingAway = /net::ERR_(INCOMPLETE_CHUNKED_ENCODING|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE)/

/** For a page's answer to what a test does; a machine that is busy with other tests is slow. */
const patience = 20_000

export interface TestBrowser {
  /**
   * Opens an address in a context of its own; when the test ends, the page must have said nothing on its console but what
   * `expected` matches. `undefined`: there is no Chromium, and the test is skipped.
   */
  /**
   * Processor time of the page's own tasks while something is done, ms, the longest first. (What `longtask` tells is the time on the wall: on a
   * machine that is busy with other tests that is mostly theirs.)
   */
  tasksDuring(page: Page, act: () => Promise<void>): Promise<number[]>
  open(t: TestContext, url: string, options?: BrowserContextOptions & { expected?: RegExp }): Promise<Page | undefined>
}

/** One browser for the tests of a file. To be called at its top. */
export function testBrowser(): TestBrowser {
  let browser: Browser | undefined
  let starting: Promise<Browser> | undefined
  after(() => browser?.close())
  return {
    async open(t, url, { expected, ...options } = {}) {
      if (!requireTool(t, chromiumPath)) return undefined
      starting ??= chromium.launch({ executablePath: chromiumPath, args: chromiumFlags })
      browser = await starting
      const context = await browser.newContext({ viewport: { width: 1800, height: 1000 }, ...options })
      context.setDefaultTimeout(patience)
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
      })
      t.after(async () => {
        await context.close()
        assert.deepEqual(
          complaints.filter((complaint) => !goingAway.test(complaint) && expected?.test(complaint) !== true),
          [],
          'nothing on the console',
        )
      })
      await page.goto(url)
      return page
    },
    async tasksDuring(page, act) {
      if (browser === undefined) throw new Error('open a page first')
      await browser.startTracing(page, {
        categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
      })
      await act()
      const { traceEvents } = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
        traceEvents: TraceEvent[]
      }
      return mainThreadTasks(traceEvents, new URL(page.url()).port)
    },
  }
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Processor time, µs. */
  readonly tdur?: number
  readonly args?: {
    readonly name?: string
    readonly data?: { readonly frames?: readonly { readonly url?: string; readonly processId?: number }[] }
  }
}

function mainThreadTasks(events: readonly TraceEvent[], port: string): number[] {
  const frames = events.flatMap(({ name, args }) =>
    name === 'TracingStartedInBrowser' ? (args?.data?.frames ?? []) : [],
  )
  const process = frames.find(({ url }) => url?.includes(`:${port}`))?.processId
  const thread = events.find(
    ({ name, pid, args }) => name === 'thread_name' && pid === process && args?.name === 'CrRendererMain',
  )?.tid
  const tasks = events.filter(
    ({ name, pid, tid, ph }) => ph === 'X' && pid === process && tid === thread && name.endsWith('RunTask'),
  )
  return tasks.map(({ tdur }) => (tdur ?? 0) / 1000).sort((a, b) => b - a)
}

export const textOf = async (locator: Locator): Promise<string> => (await locator.textContent()) ?? ''

/** Resolves once it holds; looks again and again, for a page that is drawn by frames tells nobody when it has changed. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + patience
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('it did not come to hold')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
