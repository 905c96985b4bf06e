const interim = /^HTTP\/1\.[01] 1(\d\d)[ \r\n]/
/** Length of what `interim` looks at. */
const needed = 13
/** An interim head longer than this is left to the parser, which has a limit. */
const longest = 65_536

/**
 * Takes `100 Continue` heads out of the beginning of an answer; other interim heads stay.
 *
 * @returns `unread`: what may yet turn out to be one; `undefined`: the answer's own head has begun
 */
export function withoutContinue(bytes: Buffer): { passed: Buffer; unread: Buffer | undefined } {
  const passed: Buffer[] = []
  let rest = bytes
  while (rest.length >= needed) {
    const found = interim.exec(rest.toString('latin1', 0, needed))
    // 101 ends the HTTP part of the connection: what follows is no head.
    if (found === null || found[1] === '01') return { passed: joined(passed, rest), unread: undefined }
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) {
      if (rest.length > longest) return { passed: joined(passed, rest), unread: undefined }
      break
    }
    if (found[1] !== '00') passed.push(rest.subarray(0, end + 4))
    rest = rest.subarray(end + 4)
  }
  return rest.length >= needed || couldBe(rest)
    ? { passed: joined(passed), unread: rest }
    : { passed: joined(passed, rest), unread: undefined }
}

/** Whether the rest of a head could make it an interim one. */
function couldBe(start: Buffer): boolean {
  return interim.test(start.toString('latin1') + 'HTTP/1.1 199 '.slice(start.length))
}

function joined(parts: Buffer[], last?: Buffer): Buffer {
  if (last !== undefined) parts.push(last)
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
}
