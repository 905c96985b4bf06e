/** An error without its message: messages quote data (`JSON.parse` does), and data may hold prompts and keys. */
export function crashLine(error: unknown): { name: string; code: string | undefined; frames: string[] } {
  if (!(error instanceof Error)) return { name: typeof error, code: undefined, frames: [] }
  const code = (error as NodeJS.ErrnoException).code
  // A message of several lines may hold some that look like frames.
  const stack = (error.stack ?? '').replace(error.message, '')
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return {
    name: error.name,
    code: typeof code === 'string' ? code : undefined,
    frames: frames.map((line) => line.trim()),
  }
}
