import type { Command, CommandEntry, Option } from './command.ts'

/** Help of the program. */
export function programHelp(commands: readonly CommandEntry[]): string {
  return `Streamgauge: a proxy that measures how fast the tokens of language models come.

usage: streamgauge COMMAND [options]

commands:
${columns(commands.map(({ name, summary }) => [name, summary]))}

options:
${columns([
  ['-h, --help', 'this help; streamgauge COMMAND --help tells about a command'],
  ['-v, --version', 'the version'],
])}

exit codes: 0 well, 1 a problem was found, 2 wrong use
`
}

/** Help of one command. */
export function commandHelp({ name, summary }: CommandEntry, command: Command): string {
  const operands = command.operands.map((operand) => ` ${operand}`).join('')
  return `streamgauge ${name}: ${summary}

usage: streamgauge ${name}${command.options.length > 0 ? ' [options]' : ''}${operands}

options:
${columns([...command.options.map(optionRow), ['-h, --help', 'this help']])}
${command.notes === undefined ? '' : `\n${command.notes}\n`}`
}

function optionRow(option: Option): [string, string] {
  const value = option.kind === 'flag' ? '' : ` ${option.placeholder ?? 'VALUE'}`
  const again = option.kind === 'texts' ? ' (may be repeated)' : ''
  const variable = option.variable === undefined ? '' : ` [${option.variable}]`
  return [`--${option.name}${value}`, `${option.help}${again}${variable}`]
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}
