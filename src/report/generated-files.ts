import { metricsPage } from './docs-page.ts'

/** Files made from the list of metrics, by their path in the repository. `npm run generate` writes them, a test compares them. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([['docs/metrics.md', metricsPage()]])
}
