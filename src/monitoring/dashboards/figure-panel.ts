import { lines } from './line-panel.ts'
import { definition, quantile } from './queries.ts'

/** A quantile of a figure, one line a model. */
export const perModel = (title: string, figure: string, q: number, unit: 's' | 'tok/s' | 'char/s', more = '') =>
  lines(
    { title, description: `${definition(figure)} ${more}`.trim(), unit, width: 12 },
    [
      {
        legend: '{{gateway}} / {{model}}',
        expr: quantile(q, figure, 'gateway, model'),
        // Those who look for a request look for a slow one; on every quantile the same dots would hide the lines.
        exemplars: figure === 'time_to_first_token_seconds' && q > 0.9,
      },
    ],
    { worst: unit === 's' ? 'high' : 'low' },
  )
