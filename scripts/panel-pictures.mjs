// Pictures of the Grafana dashboards: real traffic, a real Prometheus with the committed rules, the panels' own queries, drawn by uPlot. It is not
// Grafana that draws: its panels are 400 packages, and the heat map is not among them.
// Usage: npm run pictures [-- --minutes 7] [--recording FOLDER]   (needs prometheus, promtool and Chromium; CHROMIUM tells where it is)
// Twice the minutes: a healthy day to compare with, then today. With a FOLDER that holds a recording it is only drawn again.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { draw } from './panel-pictures/draw.mjs'
import { record } from './panel-pictures/record.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '7' },
    recording: { type: 'string', default: join(root, 'dist/panel-pictures') },
  },
})
const minutes = Number(values.minutes)
if (!(minutes >= 3)) throw new Error('--minutes takes a number of 3 or more')

const ends = []
/** As of a test: what the helpers start is ended after it. */
const t = { after: (end) => ends.unshift(end) }
const images = join(root, 'docs/images')
mkdirSync(images, { recursive: true })
try {
  if (existsSync(join(values.recording, 'recording.json'))) console.log(`drawn again: ${values.recording}`)
  else await record(t, values.recording, minutes)
  await draw(t, values.recording, images)
} finally {
  for (const end of ends) await end()
}
process.exit()
