import { configurationPage } from './docs-page.ts'
import { configJsonSchema } from './json-schema.ts'

/** Files made from the schema, by their path in the repository. `npm run generate` writes them, a test compares them. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['config/streamgauge.schema.json', `${JSON.stringify(configJsonSchema(), null, 2)}\n`],
    ['docs/configuration.md', configurationPage()],
  ])
}
