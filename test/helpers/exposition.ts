import assert from 'node:assert/strict'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** Of a bucket, in OpenMetrics. */
  readonly exemplar?: Exemplar
}

export interface Exemplar {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  /** Seconds since the epoch. */
  readonly time: number
}

export interface ExpositionFamily {
  readonly type: string
  readonly help: string
  readonly samples: Sample[]
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const pair = /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/
const unescaped: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\"': '"' }
const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  gauge: [''],
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  let rest = text
  while (rest !== '') {
    const match = pair.exec(rest)
    assert.ok(match, `not a label pair: ${rest}`)
    const [whole, name, value] = match as unknown as [string, string, string]
    assert.ok(!(name in labels), `label ${name} stands twice in ${text}`)
    labels[name] = value.replace(/\\[\\n"]/g, (escaped) => unescaped[escaped] as string)
    rest = rest.slice(whole.length)
  }
  return labels
}

function readNumber(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  if (text === 'NaN') return Number.NaN
  assert.match(text, /^-?\d+(\.\d+)?(e[+-]?\d+)?$/)
  return Number(text)
}

const exemplarLine = /^(\w+_bucket\{.*\} \S+) # \{(.*)\} (\S+) (\S+)$/

/** OpenMetrics alone has exemplars, on buckets; their labels are short. */
function withoutExemplar(line: string, format: 'text' | 'openmetrics'): [string, Exemplar | undefined] {
  const match = format === 'openmetrics' ? exemplarLine.exec(line) : null
  if (match === null) return [line, undefined]
  const [, sample, pairs, value, time] = match as unknown as [string, string, string, string, string]
  const labels = readLabels(pairs)
  assert.ok(Object.entries(labels).flat().join('').length <= 128, line)
  return [sample, { labels, value: readNumber(value), time: readNumber(time) }]
}

/**
 * Reads an exposition and holds it to the rules of its format: a family is announced once, before its samples, which stand together; no series
 * stands twice; buckets are cumulative and end with +Inf, equal to the count. OpenMetrics also: the end mark, and `_total` on counters' samples alone.
 */
export function readExposition(text: string, format: 'text' | 'openmetrics'): Map<string, ExpositionFamily> {
  const families = new Map<string, ExpositionFamily>()
  const series = new Set<string>()
  assert.ok(text.endsWith('\n'), 'the last line has no line feed')
  const lines = text.slice(0, -1).split('\n')
  if (format === 'openmetrics') assert.equal(lines.pop(), '# EOF')
  let current: { name: string; family: ExpositionFamily } | undefined
  let help: { name: string; text: string } | undefined
  for (const line of lines) {
    const [, keyword, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      help = { name: name as string, text: rest as string }
      continue
    }
    if (keyword === 'TYPE') {
      assert.equal(help?.name, name)
      assert.ok(!families.has(name as string), `${name} is announced twice`)
      if (format === 'openmetrics') assert.ok(!/_total$/.test(name as string), `${name} bears a suffix`)
      const family = { type: rest as string, help: help?.text ?? '', samples: [] }
      families.set(name as string, family)
      current = { name: name as string, family }
      continue
    }
    const [sampleText, exemplar] = withoutExemplar(line, format)
    const match = sampleLine.exec(sampleText)
    assert.ok(match, `neither comment nor sample: ${line}`)
    assert.ok(current, `a sample before any family: ${line}`)
    const labels = readLabels(match[2] ?? '')
    const sampleName = match[1] as string
    const counterSuffix = format === 'openmetrics' ? '_total' : ''
    const allowed = current.family.type === 'counter' ? [counterSuffix] : (suffixes[current.family.type] ?? [])
    const of = current.name
    assert.ok(
      allowed.some((suffix) => sampleName === of + suffix),
      `${sampleName} does not belong to ${of}`,
    )
    const key = `${sampleName} ${JSON.stringify(Object.entries(labels).sort())}`
    assert.ok(!series.has(key), `stands twice: ${key}`)
    series.add(key)
    current.family.samples.push({
      name: sampleName,
      labels,
      value: readNumber(match[3] as string),
      ...(exemplar && { exemplar }),
    })
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family)
  return families
}

function checkHistogram(name: string, { samples }: ExpositionFamily): void {
  const groups = new Map<string, Sample[]>()
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels
    const key = JSON.stringify(labels)
    groups.set(key, [...(groups.get(key) ?? []), sample])
  }
  for (const [labels, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`)
    const count = group.find((sample) => sample.name === `${name}_count`)?.value
    assert.ok(group.some((sample) => sample.name === `${name}_sum`))
    assert.equal(buckets.at(-1)?.labels['le'], '+Inf')
    assert.equal(buckets.at(-1)?.value, count, `${name}${labels}: the last bucket is not the count`)
    for (let index = 1; index < buckets.length; index++) {
      assert.ok((buckets[index] as Sample).value >= (buckets[index - 1] as Sample).value)
      assert.ok(
        readNumber(buckets[index]?.labels['le'] as string) > readNumber(buckets[index - 1]?.labels['le'] as string),
      )
    }
  }
}

/** The value of the one series with these labels among them; `undefined` where there is none. */
export function valueIn(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const format = text.endsWith('# EOF\n') ? 'openmetrics' : 'text'
  const found = [...readExposition(text, format).values()]
    .flatMap((family) => family.samples)
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
  assert.ok(found.length <= 1, `${found.length} series of ${name} have these labels`)
  return found[0]?.value
}

/** The sum of all series with these labels among them. */
export function sumIn(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const format = text.endsWith('# EOF\n') ? 'openmetrics' : 'text'
  return [...readExposition(text, format).values()]
    .flatMap((family) => family.samples)
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, sample) => sum + sample.value, 0)
}
