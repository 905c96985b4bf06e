import { configJsonSchema, type JsonSchema } from './json-schema.ts'
import { overrides } from './overrides.ts'

interface Row {
  readonly key: string
  readonly type: string
  readonly default: string
  readonly meaning: string
}

/** docs/configuration.md, whole. */
export function configurationPage(): string {
  return `# Configuration

<!-- Made by \`npm run generate\` from src/config: change it there. -->

Streamgauge needs one thing: the URL of a gateway. Everything else has a default.

\`\`\`sh
npx streamgauge serve --gateway https://openrouter.ai/api/v1
\`\`\`

What is said more than once is taken from the first of: flag, environment, file, default.

${table(
  ['flag', 'environment', 'meaning (default)'],
  overrides.map(({ flag, variable, placeholder, help }) => [`\`--${flag} ${placeholder}\``, `\`${variable}\``, help]),
)}

A gateway given by \`--gateway\` or \`STREAMGAUGE_GATEWAY\` is named \`default\` and is the default one. Those of the file stay
reachable by their names. If the file has a gateway named \`default\`, it keeps its settings and gets the URL given.
An empty environment variable counts as not set.

\`HTTP_PROXY\`, \`HTTPS_PROXY\`, \`NO_PROXY\` and \`NODE_EXTRA_CA_CERTS\` are honoured for the way to the gateway.

## The file

\`streamgauge serve --config FILE\` reads YAML. [config/streamgauge.yaml](../config/streamgauge.yaml) is an example that shows every
key; [config/streamgauge.schema.json](../config/streamgauge.schema.json) tells editors about them. \`streamgauge check-config FILE\`
lists every problem of a file with its place. A changed file needs a restart, which lets running streams finish.

* **Durations** have a unit: \`250ms\`, \`10s\`, \`1.5m\`, \`2h\`, \`1d\`. Only \`0\` goes without.
* **Sizes** have a unit (\`kB\`, \`MB\`, \`GB\`: powers of 1000; \`KiB\`, \`MiB\`, \`GiB\`: powers of 1024) or are whole bytes.
* **Secrets** never stand in the file: name a variable in \`apiKeyEnv\`, or write \`\${NAME}\` in a header's value or in \`admin.token\`.
  A literal credential is refused.
* A gateway's own key (\`apiKeyEnv\`, or a credential in \`headers\`) is refused where \`proxy.host\` is not loopback and
  \`proxy.clientKeys\` is empty: it would be lent to everybody who can reach the port.
* A key that is unknown, or given twice, is an error.

${table(
  ['key', 'type', 'default', 'meaning'],
  [...rows(configJsonSchema(), '', false)].map((row) => [`\`${row.key}\``, row.type, row.default, row.meaning]),
)}
`
}

function* rows(schema: JsonSchema, key: string, required: boolean): Iterable<Row> {
  if (key !== '') yield* rowOf(schema, key, required)
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    yield* rows(inner, key === '' ? name : `${key}.${name}`, schema.required?.includes(name) ?? false)
  }
  if (schema.items?.properties !== undefined) yield* rows({ ...schema.items, description: '' }, `${key}[]`, false)
  const values = schema.additionalProperties
  if (typeof values === 'object' && values.properties !== undefined)
    yield* rows({ ...values, description: '' }, `${key}.NAME`, false)
}

function* rowOf(schema: JsonSchema, key: string, required: boolean): Iterable<Row> {
  // A section says nothing that its keys do not say.
  if (!schema.description) return
  const standard =
    schema.default === undefined ? '' : `\`${JSON.stringify(schema.default).replaceAll('"', schema.title ? '' : '"')}\``
  const choices = schema.propertyNames?.enum
  const meaning =
    choices === undefined
      ? schema.description
      : `${schema.description} Histograms: ${choices.map((name) => `\`${name}\``).join(', ')}.`
  yield { key, type: typeOf(schema), default: required ? '(needed)' : standard, meaning }
}

function typeOf(schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(' ')
  if (schema.type === 'array') return `list${schema.items?.properties ? '' : ` of ${typeOf(schema.items ?? {})}`}`
  if (schema.type === 'integer') return `whole number, ${schema.minimum} to ${schema.maximum}`
  if (schema.type === 'object') return 'mapping'
  if (schema.type === 'number') return 'number'
  if (schema.type === 'boolean') return 'true, false'
  return 'text'
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}
