import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startPrometheus, writeBlocks } from '../../dist/test/helpers/prometheus.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const day = 86_400
const scrapeSeconds = 5
const target = { job: 'streamgauge', instance: 'streamgauge:9484' }
const seconds = () => Date.now() / 1000

async function startStage(t, seed) {
  const stage = fork(fileURLToPath(new URL('stage.mjs', import.meta.url)), [String(seed)])
  t.after(() => stage.kill('SIGKILL'))
  const [{ metrics }] = await once(stage, 'message')
  return { stage, metrics }
}

/** What scrapes read of another process, for a while. */
async function readPast(t, seed, minutes) {
  const { stage, metrics } = await startStage(t, seed)
  const texts = []
  const begun = seconds()
  for (let at = 0; at <= minutes * 60; at += scrapeSeconds) {
    await delay(Math.max(0, (begun + at - seconds()) * 1000))
    const answer = await fetch(`http://${metrics}/metrics`)
    texts.push({ at, text: await answer.text() })
  }
  stage.kill('SIGKILL')
  return texts
}

/**
 * Real traffic, scraped by a real Prometheus that has the committed rules: into FOLDER/data, and FOLDER/recording.json says from when to when.
 * Half of the time is for yesterday and last week, healthy days of the same traffic. Today, after two minutes the TTFT of one model doubles.
 */
export async function record(t, folder, minutes) {
  rmSync(folder, { recursive: true, force: true })
  const data = join(folder, 'data')
  // Side by side: a gentle load, and half of the time.
  const [yesterday, lastWeek] = await Promise.all([11, 21].map((seed) => readPast(t, seed, minutes)))
  const from = Math.ceil(seconds()) + 5
  for (const [ago, past] of [
    [7 * day, lastWeek],
    [day, yesterday],
  ]) {
    const scrapes = past.map(({ at, text }) => ({ time: from + at - ago, labels: target, text }))
    writeBlocks(t, data, scrapes)
  }
  const { stage, metrics } = await startStage(t, 1)
  await startPrometheus(t, {
    data,
    flags: ['--enable-feature=exemplar-storage'],
    config: {
      global: { scrape_interval: `${scrapeSeconds}s`, evaluation_interval: `${scrapeSeconds}s` },
      rule_files: [join(root, 'config/prometheus/rules/*.yml')],
      scrape_configs: [
        { job_name: target.job, static_configs: [{ targets: [metrics], labels: { instance: target.instance } }] },
      ],
    },
  })
  await delay(2 * 60_000)
  stage.send({ slow: 'sim/frontier' })
  await delay((minutes - 2) * 60_000)
  const to = Math.floor(seconds())
  writeFileSync(join(folder, 'recording.json'), JSON.stringify({ from: to - minutes * 60, to }))
}
