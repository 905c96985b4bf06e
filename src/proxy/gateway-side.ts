import type { Dispatcher } from 'undici'
import { askForSocket } from '../gateway/connections.ts'
import type { UsedSocket } from '../gateway/socket-guard.ts'

/** Why we ended a request to the gateway ourselves; never shown to anybody. */
class Stopped extends Error {}

/** What an exchange holds of its request to the gateway. */
export class GatewaySide {
  /** Of the attempt that runs; `undefined`: it has no connection yet. */
  used: UsedSocket | undefined
  /** How long the event loop had waited for events when it was written, ms. */
  idleAtSend = 0
  #controller: Dispatcher.DispatchController | undefined

  /** Called from `onRequestStart`. */
  starts(controller: Dispatcher.DispatchController, idleMs: number): void {
    this.#controller = controller
    this.idleAtSend = idleMs
    askForSocket(this)
  }

  onSocket(used: UsedSocket): void {
    this.used = used
  }

  /** undici's own abort leaves the request in its queue, and makes a new connection only to find there that nobody wants it. */
  stop(why: string): void {
    if (this.used !== undefined) this.used.socket.destroy(new Stopped(why))
    else this.#controller?.abort(new Stopped(why))
  }

  /** As `stop`, where the request may be over, and its connection serve another one. */
  abandon(why: string): void {
    this.#controller?.abort(new Stopped(why))
  }
}
