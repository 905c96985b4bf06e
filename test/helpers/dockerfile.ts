import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readSource, repository } from './repository.ts'

export interface Instruction {
  readonly name: string
  readonly text: string
}

/** Reads as much of the format as our Dockerfile uses: comments, continued lines, one instruction a line. */
export function parseDockerfile(text: string): Instruction[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ', 1)[0] as string, text: line.slice(line.indexOf(' ') + 1).trim() }))
}

/** A stage as a folder: what the image would have at /app stands in `root`/app. */
export interface Stage {
  readonly root: string
  workdir: string
  readonly env: Record<string, string>
  entrypoint: string[]
  command: string[]
  healthcheck: string[]
  user: string
}

/** Runs the steps of the Dockerfile in a folder, without the base image: Node is the one that runs the test. @returns the last stage */
export function buildByHand(folder: string): Stage {
  const context = dockerContext(mkdtempSync(join(folder, 'context-')))
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const { name, text } of parseDockerfile(readSource('Dockerfile'))) {
    if (name === 'FROM') {
      stage = emptyStage(mkdtempSync(join(folder, 'stage-')))
      stages.set(/ AS (\S+)$/.exec(text)?.[1] ?? '', stage)
    } else if (stage === undefined) throw new Error(`${name} before FROM`)
    else step(stage, name, text, { context, stages })
  }
  if (stage === undefined) throw new Error('the Dockerfile has no stage')
  return stage
}

interface Sources {
  readonly context: string
  readonly stages: ReadonlyMap<string, Stage>
}

function step(stage: Stage, name: string, text: string, sources: Sources): void {
  if (name === 'WORKDIR') {
    stage.workdir = text
    mkdirSync(join(stage.root, text), { recursive: true })
  } else if (name === 'ENV') {
    for (const pair of text.split(/\s+/)) stage.env[pair.split('=', 1)[0] as string] = pair.slice(pair.indexOf('=') + 1)
  } else if (name === 'COPY') copy(stage, text, sources)
  else if (name === 'RUN') runStep(stage, text)
  else if (name === 'USER') stage.user = text
  else if (name === 'ENTRYPOINT') stage.entrypoint = JSON.parse(text)
  else if (name === 'CMD') stage.command = JSON.parse(text)
  else if (name === 'HEALTHCHECK') stage.healthcheck = JSON.parse(text.slice(text.indexOf('CMD ') + 4))
  else if (name !== 'LABEL' && name !== 'EXPOSE') throw new Error(`unknown instruction ${name}`)
}

function copy(stage: Stage, text: string, { context, stages }: Sources): void {
  const from = /^--from=(\S+) /.exec(text)?.[1]
  const words = text
    .replace(/^--from=\S+ /, '')
    .split(/\s+/)
    .filter((word) => word !== '')
  const target = join(stage.root, stage.workdir, words.pop() as string)
  const base = from === undefined ? context : stages.get(from)?.root
  if (base === undefined) throw new Error(`no stage is called ${from}`)
  for (const word of words) {
    const source = join(base, word)
    const into = words.length > 1 || (text.endsWith('/') && !statSync(source).isDirectory())
    mkdirSync(into ? target : dirname(target), { recursive: true })
    // What comes from an earlier stage is moved: no step needs it there any more, and node_modules takes seconds to copy.
    if (from === undefined) cpSync(source, into ? join(target, basename(word)) : target, { recursive: true })
    else renameSync(source, into ? join(target, basename(word)) : target)
  }
}

function runStep(stage: Stage, command: string): void {
  const cwd = join(stage.root, stage.workdir)
  // The same lock file gave what is installed here: only what differs from it is worth the time.
  if (/^npm ci(?!.*--omit=dev)/.test(command)) {
    symlinkSync(join(repository, 'node_modules'), `${cwd}/node_modules`)
    return
  }
  const done = spawnSync('sh', ['-ec', command], {
    cwd,
    env: { ...process.env, ...stage.env, npm_config_prefer_offline: 'true' },
    encoding: 'utf8',
  })
  if (done.status !== 0) throw new Error(`RUN ${command}: ${done.status}\n${done.stdout}${done.stderr}`)
}

/** What the engine would be sent: the repository without what .dockerignore leaves out. */
export function dockerContext(folder: string): string {
  const [all, ...kept] = readSource('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (all !== '*' || !kept.every((line) => /^![\w.-]+$/.test(line)))
    throw new Error('.dockerignore is more than "nothing but" names: teach this helper')
  for (const line of kept) cpSync(join(repository, line.slice(1)), join(folder, line.slice(1)), { recursive: true })
  return folder
}

/** The words of a command as they would run on this machine. */
export function onThisMachine(stage: Stage, words: readonly string[]): [string, string[]] {
  const [program, ...rest] = words.map((word) => (word.startsWith('/app/') ? join(stage.root, word) : word))
  return [program === 'node' ? process.execPath : (program as string), rest]
}

function emptyStage(root: string): Stage {
  return { root, workdir: '/', env: {}, entrypoint: [], command: [], healthcheck: [], user: 'root' }
}
