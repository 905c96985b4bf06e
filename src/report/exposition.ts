import { setImmediate as nextTurn } from 'node:timers/promises'
import { boundText, escapeHelp, type Format, labelPair, labelText, numberText } from './exposition-text.ts'
import {
  type AnyFamily,
  type CounterChild,
  CounterFamily,
  type Exemplar,
  GaugeFamily,
  type HistogramChild,
  HistogramFamily,
} from './families.ts'

/** Lines after which a scrape lets the event loop go on: about a quarter of a millisecond of work. */
export const linesPerSlice = 1000

/** A metric that is not ours, as prom-client tells of it. */
export interface ForeignMetric {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly values: readonly {
    readonly metricName?: string
    readonly labels: Readonly<Partial<Record<string, string | number>>>
    readonly value: number
  }[]
}

function head(name: string, help: string, type: string, format: Format): string {
  // In OpenMetrics the suffix belongs to a counter's samples, not to its name.
  const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name
  return `# HELP ${family} ${escapeHelp(help, format)}\n# TYPE ${family} ${type}\n`
}

/** How the children of a family become lines. Made once a scrape and family; what is the same in every child is joined here. */
interface Writer {
  readonly count: number
  readonly linesPerChild: number
  /** The lines of one child, all from one instant. */
  write(index: number): string
}

/** What follows a bucket's value in OpenMetrics; the text format has no place for it. */
function exemplarText(exemplar: Exemplar | undefined): string {
  if (exemplar === undefined) return ''
  return ` # {${labelText(exemplar.labels)}} ${numberText(exemplar.value)} ${numberText(exemplar.time)}`
}

function histogramWriter(family: HistogramFamily, format: Format): Writer {
  const { name, children } = family
  const bounds = [...Array.from(family.bounds, boundText), '+Inf']
  const tails = bounds.map((bound) => `le="${bound}"} `)
  const write = (child: HistogramChild): string => {
    const bucketHead = `${name}_bucket{${child.text}${child.text === '' ? '' : ','}`
    const labels = child.text === '' ? ' ' : `{${child.text}} `
    let lines = ''
    let cumulative = 0
    for (let bucket = 0; bucket < tails.length; bucket++) {
      cumulative += child.counts[bucket] as number
      const exemplar = format === 'openmetrics' ? exemplarText(child.exemplars?.[bucket]) : ''
      lines += `${bucketHead}${tails[bucket]}${cumulative}${exemplar}\n`
    }
    return `${lines}${name}_sum${labels}${numberText(child.sum)}\n${name}_count${labels}${child.count}\n`
  }
  return {
    get count() {
      return children.length
    },
    linesPerChild: tails.length + 2,
    write: (index) => write(children[index] as HistogramChild),
  }
}

function counterWriter(family: CounterFamily): Writer {
  const { name, children, slotTexts } = family
  const write = (child: CounterChild): string => {
    const comma = child.text === '' || slotTexts[0] === '' ? '' : ','
    let lines = ''
    for (let slot = 0; slot < slotTexts.length; slot++) {
      const labels = `${child.text}${comma}${slotTexts[slot]}`
      lines += `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(child.slots[slot] as number)}\n`
    }
    return lines
  }
  return {
    get count() {
      return children.length
    },
    linesPerChild: slotTexts.length,
    write: (index) => write(children[index] as CounterChild),
  }
}

function gaugeWriter({ name, children }: GaugeFamily): Writer {
  // Gauges are read at the scrape: a later scrape must not change what this one still has to write.
  const lines = children.map(({ text, value }) => `${name}${text === '' ? '' : `{${text}}`} ${numberText(value)}\n`)
  return { count: lines.length, linesPerChild: 1, write: (index) => lines[index] as string }
}

function writerOf(family: AnyFamily, format: Format): Writer {
  if (family instanceof HistogramFamily) return histogramWriter(family, format)
  return family instanceof CounterFamily ? counterWriter(family) : gaugeWriter(family)
}

function foreignLines({ name, values }: ForeignMetric): string {
  return values
    .map(({ metricName, labels, value }) => {
      const pairs = Object.entries(labels).map(([label, given]) =>
        label === 'le' && typeof given === 'number'
          ? labelPair('le', boundText(given))
          : labelText({ [label]: `${given}` }),
      )
      return `${metricName ?? name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`
    })
    .join('')
}

/**
 * The whole exposition, in slices; between two the event loop has had a turn. Each histogram's and counter's child is of one instant, each
 * scrape has a state of its own, and children that are born meanwhile may or may not be in it.
 */
export async function* slicesOf(
  families: readonly AnyFamily[],
  foreign: () => Promise<readonly ForeignMetric[]>,
  format: Format,
): AsyncGenerator<string, void, void> {
  const writers = families.map((family) => ({
    family,
    gauges: family instanceof GaugeFamily ? gaugeWriter(family) : undefined,
  }))
  let slice = ''
  let lines = 0
  for (const { family, gauges } of writers) {
    const writer = gauges ?? writerOf(family, format)
    slice += head(family.name, family.help, family.type, format)
    for (let index = 0; index < writer.count; index++) {
      slice += writer.write(index)
      lines += writer.linesPerChild
      if (lines < linesPerSlice) continue
      yield slice
      slice = ''
      lines = 0
      await nextTurn()
    }
  }
  for (const metric of await foreign())
    slice += head(metric.name, metric.help, metric.type, format) + foreignLines(metric)
  yield format === 'openmetrics' ? `${slice}# EOF\n` : slice
}
