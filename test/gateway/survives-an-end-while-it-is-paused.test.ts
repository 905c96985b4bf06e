import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import type { Dispatcher } from 'undici'
import { failureOf } from '../../src/gateway/failure.ts'
import { Gateway } from '../../src/gateway/gateway.ts'
import type { StreamObserver } from '../../src/stream/stream-observer.ts'
import { TurnClock } from '../../src/stream/turn-clock.ts'
import { type RawConnection, startRawGateway } from '../helpers/raw-gateway.ts'
import { chunk, headOf, within } from '../helpers/raw-http.ts'

const untilClose = headOf('HTTP/1.1 200 OK', ['connection: close'])
const chunkedAndClose = headOf('HTTP/1.1 200 OK', ['connection: close', 'transfer-encoding: chunked'])

const blind: StreamObserver = {
  awaitsFirstToken: false,
  sent: () => {},
  head: () => {},
  chunk: () => {},
  paused: () => {},
  resumed: () => {},
  end: () => {},
}

/** What a reader gets that pauses at every piece until the test lets it go on. */
class SlowReader implements Dispatcher.DispatchHandler {
  readonly parts: Buffer[] = []
  readonly over: Promise<'end' | Error>
  #settle!: (how: 'end' | Error) => void
  #controller: Dispatcher.DispatchController | undefined
  #onData: (() => void) | undefined

  constructor() {
    this.over = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  onRequestStart(): void {}
  onResponseStart(): void {}

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    // A parser that is resumed with nothing to read hands on an empty piece.
    if (bytes.length === 0) return
    this.parts.push(bytes)
    this.#controller = controller
    controller.pause()
    this.#onData?.()
  }

  onResponseEnd(): void {
    this.#settle('end')
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(error)
  }

  get text(): string {
    return Buffer.concat(this.parts).toString()
  }

  resume(): void {
    this.#controller?.resume()
  }

  piece(): Promise<void> {
    return within(
      new Promise((resolve) => {
        this.#onData = resolve
      }),
      'a piece',
    )
  }
}

async function start(t: TestContext, script: (connection: RawConnection) => Promise<void>) {
  const upstream = await startRawGateway(t, (_request, connection) => script(connection))
  const gateway = new Gateway(
    {
      name: 'g',
      url: upstream.url,
      connectTimeoutMs: 1000,
      caFile: '',
      insecure: false,
      maxHeaderBytes: 65_536,
    },
    new TurnClock(),
  )
  t.after(() => gateway.destroy())
  const reader = new SlowReader()
  const first = reader.piece()
  gateway.dispatch({ method: 'GET', path: '/', headers: [], body: null }, reader, blind, () => {})
  await first
  return { reader, connection: upstream.connections[0] as RawConnection, upstream }
}

for (const { name, head, wrap } of [
  { name: 'an answer that ends with its connection', head: untilClose, wrap: (text: string) => Buffer.from(text) },
  { name: 'chunks and connection: close', head: chunkedAndClose, wrap: chunk },
]) {
  test(`the end comes while the reader pauses: ${name}`, async (t) => {
    const { reader, connection } = await start(t, async (own) => {
      await own.write(head)
      await own.write(wrap('one'))
    })
    await connection.write(wrap('two'))
    if (head === chunkedAndClose) await connection.last()
    const peerSawEnd = once(connection.socket, 'finish')
    connection.fin()
    await peerSawEnd
    const second = reader.piece()
    // The rest and the end are in the socket's buffer, so that both are read in one go.
    await new Promise((resolve) => setTimeout(resolve, 50))
    reader.resume()
    await second
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(reader.text, 'onetwo')
    reader.resume()
    assert.equal(await within(reader.over, 'the end'), 'end')
  })

  test(`a reset while the reader pauses is an error: ${name}`, async (t) => {
    const { reader, connection } = await start(t, async (own) => {
      await own.write(head)
      await own.write(wrap('one'))
    })
    connection.reset()
    const how = await within(reader.over, 'the error')
    assert.notEqual(how, 'end')
    assert.equal(failureOf(how).label, 'reset')
    assert.equal(reader.text, 'one')
  })
}

test('a FIN inside a chunk while the reader pauses is an error', async (t) => {
  const { reader, connection } = await start(t, async (own) => {
    await own.write(chunkedAndClose)
    await own.write(chunk('one'))
  })
  await connection.write('10\r\nshort')
  connection.fin()
  await new Promise((resolve) => setTimeout(resolve, 50))
  reader.resume()
  await new Promise((resolve) => setImmediate(resolve))
  reader.resume()
  assert.notEqual(await within(reader.over, 'the error'), 'end')
  assert.equal(reader.text, 'oneshort')
})

test('an idle connection that is closed is no fault, and the next request gets a new one', async (t) => {
  const { reader, upstream } = await start(t, async (own) => {
    await own.write(Buffer.concat([headOf('HTTP/1.1 200 OK', ['content-length: 3']), Buffer.from('one')]))
    own.fin()
  })
  reader.resume()
  assert.equal(await within(reader.over, 'the end'), 'end')
  await within((await upstream.connection(0)).closed, 'the close')
})
