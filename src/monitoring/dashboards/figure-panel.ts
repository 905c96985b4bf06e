import { lines } from './panel.ts'
import { definition, quantile } from './queries.ts'

/** A quantile of a figure, one line a model. */
export const perModel = (title: string, figure: string, q: number, unit: 's' | 'tok/s' | 'char/s', more = '') =>
  lines({ title, description: `${definition(figure)} ${more}`.trim(), unit, width: 8 }, [
    {
      legend: '{{gateway}} / {{model}}',
      expr: quantile(q, figure, 'gateway, model'),
      exemplars: figure === 'time_to_first_token_seconds',
    },
  ])
