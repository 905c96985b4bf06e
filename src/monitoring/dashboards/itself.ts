import type { Section } from './dashboard.ts'
import { lines } from './line-panel.ts'
import { numbers } from './panel.ts'
import { definition, quantile, rate, series } from './queries.ts'

/** Whether the instrument itself is well. */
export const itself: Section = {
  title: 'Streamgauge itself',
  panels: [
    numbers(
      {
        title: 'Replicas',
        description: 'Targets that can be scraped, by version of the program.',
        unit: 'count',
        width: 4,
        height: 8,
      },
      [{ legend: '{{version}}', expr: `count by (version) (${series('build_info')})` }],
      { empty: 'no target' },
    ),
    numbers(
      {
        title: 'Definitions',
        description: 'Version of the definitions of the figures: more than one beside each other is not comparable.',
        unit: 'count',
        width: 4,
        height: 8,
      },
      [{ legend: 'version {{version}}', expr: `count by (version) (${series('definitions_info')})` }],
      { empty: 'no target' },
    ),
    lines(
      {
        title: 'Event loop: longest stall',
        description:
          'The longest time for which the event loop was held, of the last 60 seconds. Marks may be late by as much.',
        unit: 's',
        width: 8,
      },
      [{ legend: '{{instance}}', expr: `max by (instance) (${series('event_loop_stall_max_seconds')})` }],
    ),
    lines(
      {
        title: 'Event loop: time in stalls',
        description: 'Share of the time in which the event loop was held for longer than 10 ms at once, by replica.',
        unit: 'percentunit',
        width: 8,
      },
      [{ legend: '{{instance}}', expr: rate('instance', series('event_loop_stall_seconds_sum')) }],
    ),
    lines(
      {
        title: 'Proxy overhead, p50 and p99',
        description: definition('proxy_overhead_seconds'),
        unit: 's',
        width: 8,
      },
      [0.5, 0.99].map((q) => ({ legend: `p${q * 100}`, expr: quantile(q, 'proxy_overhead_seconds', '') })),
      { logarithmic: true },
    ),
    lines(
      {
        title: 'Mark uncertainty, p50 and p99',
        description: definition('mark_uncertainty_seconds'),
        unit: 's',
        width: 8,
      },
      [0.5, 0.99].map((q) => ({ legend: `p${q * 100}`, expr: quantile(q, 'mark_uncertainty_seconds', '') })),
      { logarithmic: true },
    ),
    lines(
      {
        title: 'Memory',
        description: 'Resident memory of each replica. Needs metrics.defaultMetrics.',
        unit: 'bytes',
        width: 8,
      },
      [{ legend: '{{instance}}', expr: 'process_resident_memory_bytes and on (instance) streamgauge_build_info' }],
    ),
    lines({ title: 'Scrape', description: 'How long a scrape takes, by instance.', unit: 's', width: 8 }, [
      { legend: '{{instance}}', expr: 'scrape_duration_seconds and on (instance) streamgauge_build_info' },
    ]),
    lines(
      {
        title: 'Series',
        description: 'Samples a scrape, by instance: the cost of labels.',
        unit: 'short',
        width: 8,
      },
      [{ legend: '{{instance}}', expr: 'scrape_samples_scraped and on (instance) streamgauge_build_info' }],
    ),
    lines(
      {
        title: 'Label overflow, measurement errors',
        description:
          'Requests with a label beyond its bound; faults in what was measured, or in measuring it. A second; answers pass untouched.',
        unit: 'short',
        width: 8,
      },
      [
        { legend: 'overflow: {{label}}', expr: rate('label', series('label_overflow_total')) },
        { legend: 'error: {{stage}}', expr: rate('stage', series('measurement_errors_total')) },
      ],
    ),
  ],
}
