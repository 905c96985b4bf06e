/** What flags and the environment may set, besides the file. */
export interface Flags {
  readonly config?: string | undefined
  readonly gateway?: string | undefined
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly 'admin-host'?: string | undefined
  readonly 'admin-port'?: string | undefined
  readonly 'log-level'?: string | undefined
}

export interface Override {
  readonly flag: keyof Flags
  readonly variable: string
  /** The key it sets; `undefined` for those that set none of that name. */
  readonly key: readonly [string, string] | undefined
  readonly placeholder: string
  readonly help: string
}

/** In the order of the help. */
export const overrides: readonly Override[] = [
  {
    flag: 'gateway',
    variable: 'STREAMGAUGE_GATEWAY',
    key: undefined,
    placeholder: 'URL',
    help: "the gateway's base_url, such as https://openrouter.ai/api/v1",
  },
  {
    flag: 'host',
    variable: 'STREAMGAUGE_HOST',
    key: ['proxy', 'host'],
    placeholder: 'ADDRESS',
    help: 'address the proxy listens on (127.0.0.1)',
  },
  {
    flag: 'port',
    variable: 'STREAMGAUGE_PORT',
    key: ['proxy', 'port'],
    placeholder: 'PORT',
    help: 'port the proxy listens on (8484); 0: any free one',
  },
  {
    flag: 'admin-host',
    variable: 'STREAMGAUGE_ADMIN_HOST',
    key: ['admin', 'host'],
    placeholder: 'ADDRESS',
    help: 'address of the live page and /metrics (127.0.0.1)',
  },
  {
    flag: 'admin-port',
    variable: 'STREAMGAUGE_ADMIN_PORT',
    key: ['admin', 'port'],
    placeholder: 'PORT',
    help: 'port of the live page and /metrics (9484); 0: any free one',
  },
  {
    flag: 'config',
    variable: 'STREAMGAUGE_CONFIG',
    key: undefined,
    placeholder: 'FILE',
    help: 'configuration file (YAML); see docs/configuration.md',
  },
  {
    flag: 'log-level',
    variable: 'STREAMGAUGE_LOG_LEVEL',
    key: ['log', 'level'],
    placeholder: 'LEVEL',
    help: 'trace, debug, info, warn, error, fatal or silent (info)',
  },
]

export interface Given {
  readonly value: string
  /** The flag or the variable, as the user wrote it. */
  readonly origin: string
}

/** The flag if there is one, else the variable. An empty variable counts as not set: Compose files make such. */
export function given(override: Override, flags: Flags, env: NodeJS.ProcessEnv): Given | undefined {
  const flag = flags[override.flag]
  if (flag !== undefined) return { value: flag, origin: `--${override.flag}` }
  const variable = env[override.variable]
  return variable === undefined || variable === '' ? undefined : { value: variable, origin: override.variable }
}

export function givenFor(flag: keyof Flags, flags: Flags, env: NodeJS.ProcessEnv): Given | undefined {
  return given(overrides.find((override) => override.flag === flag) as Override, flags, env)
}
