import { loadConfig } from '../config/load.ts'
import { overrides } from '../config/overrides.ts'
import { showProblem } from '../config/problems.ts'
import type { Config } from '../config/schema.ts'
import type { Service, ServiceOptions } from '../service.ts'
import type { Command, ExitCode } from './command.ts'
import { crashLine } from './crash-line.ts'
import { egressProxies } from './egress.ts'
import type { Io } from './io.ts'
import { listenProblem } from './listen-problem.ts'
import { exchangeLines, type Logger, serveLogger } from './serve-log.ts'
import { startLines } from './start-lines.ts'
import { version } from './version.ts'

export type StartService = (config: Config, options: ServiceOptions) => Promise<Service>

/** After a fatal error running streams get this long, ms: the process is not to be trusted with more. */
const fatalDrain = 5000
/** If the end itself hangs then, it is ended after so long, ms. */
const fatalEnd = 8000

export function serveWith(startService: StartService): Command {
  return {
    options: overrides.map(({ flag, variable, placeholder, help }) => ({
      name: flag,
      kind: 'text',
      variable,
      placeholder,
      help,
    })),
    operands: [],
    notes: 'Apps use http://HOST:PORT/v1 as base_url. SIGTERM lets running streams finish; a second one ends them.',
    run: async ({ text, io }) => {
      const loaded = loadConfig({ env: io.env, flags: text })
      if ('problems' in loaded) {
        for (const problem of loaded.problems) io.err(`streamgauge: ${showProblem(problem)}\n`)
        return loaded.problems.some(({ path }) => path.startsWith('--')) ? 2 : 1
      }
      return serve(loaded.config, io, startService)
    },
  }
}

async function serve(config: Config, io: Io, startService: StartService): Promise<ExitCode> {
  const egress = egressProxies(config)
  if ('problem' in egress) {
    io.err(`streamgauge: ${egress.problem}\n`)
    return 1
  }
  const log = io.openLog()
  const logger = serveLogger(config.log.level, log)
  let service: Service
  try {
    service = await startService(config, {
      version: version(),
      log: exchangeLines(log),
      onFault: (what, error) => logger.error(crashLine(error), what),
      onHint: (hint) => logger.warn(hint),
      onCut: (cut) => logger.warn(cut, 'answer cut off'),
    })
  } catch (error) {
    await log.close()
    const problem = listenProblem(error, config)
    if (problem === undefined) throw error
    io.err(`streamgauge: ${problem}\n`)
    return 1
  }
  // Before the first line, for whoever reads it may send a signal at once.
  const ended = untilStopped(service, io, logger)
  for (const { level, message, fields } of startLines(config, service, egress.proxies)) logger[level](fields, message)
  if (io.interactive) io.err(`proxy      ${service.proxyUrl}/v1\nlive page  ${service.adminUrl}\n`)
  const code = await ended
  await log.close()
  return code
}

/** Resolves once the service has ended: by a signal, or because something broke. A second signal ends the process at once. */
function untilStopped(service: Service, io: Io, logger: Logger): Promise<ExitCode> {
  return new Promise((resolve) => {
    let code: ExitCode = 0
    let stopping = false
    let deadline: NodeJS.Timeout | undefined
    const finish = () => {
      clearTimeout(deadline)
      offStop()
      offFatal()
      logger.info({ exit_code: code }, 'stopped')
      resolve(code)
    }
    const broke = (error: unknown) => {
      code = 1
      logger.fatal(crashLine(error), 'fatal error')
    }
    const stop = (withinMs?: number) => {
      if (stopping) {
        // Only shortens the drain that runs.
        service.drain(withinMs).catch(() => {})
        return
      }
      stopping = true
      service
        .drain(withinMs)
        .then((cut) => {
          if (cut > 0) logger.warn({ streams: cut }, 'streams cut at the end of the drain')
          return service.close()
        })
        .catch(broke)
        .finally(finish)
    }
    const offFatal = io.onFatal((error) => {
      broke(error)
      deadline ??= setTimeout(() => io.exit(1), fatalEnd)
      stop(fatalDrain)
    })
    const offStop = io.onStop((signal) => {
      if (stopping) {
        logger.warn({ signal }, 'second signal: ending at once')
        io.exit(1)
        return
      }
      logger.info({ signal }, 'draining: running streams may finish')
      stop()
    })
  })
}
