import type { Socket } from 'node:net'
import { isRecord } from '../../../src/http/validation/validate.ts'
import { httpAnswer, startReceiver, type ReceivedCall, type Receiver } from '../servers/receiver.ts'

/** The server of all accounts: each has its URLs at one of two places. */

export type Place = 'first' | 'second'
type CallbackKind = 'availability' | 'pushbook'
export type Said = { status: number; body?: object }

type Listener = {
  /** Pings too. */
  called: (place: string, call: ReceivedCall) => Promise<void>
  checked: (asked: Record<string, unknown>) => Promise<Said>
  delivered: (reservations: Record<string, unknown>[], id: string) => Said
}

export class SupplierServer {
  readonly #listeners = new Map<string, Listener>()
  #receiver: Receiver | undefined

  async start(): Promise<void> {
    this.#receiver = await startReceiver((socket, call) => void this.#answer(socket, call))
  }

  async close(): Promise<void> {
    await this.#receiver?.close()
  }

  listen(account: string, listener: Listener): void {
    this.#listeners.set(account, listener)
  }

  forget(account: string): void {
    this.#listeners.delete(account)
  }

  url(account: string, place: Place, kind: CallbackKind): string {
    return `http://127.0.0.1:${this.#receiver?.port}/${account}/${place}/${kind}`
  }

  async #answer(socket: Socket, call: ReceivedCall): Promise<void> {
    const [, account = '', place = ''] = (call.line.split(' ')[1] ?? '').split('/')
    const said = await this.#said(this.#listeners.get(account), place, call)
    if (socket.writable) socket.write(httpAnswer(said.status, JSON.stringify(said.body ?? {})))
  }

  async #said(listener: Listener | undefined, place: string, call: ReceivedCall): Promise<Said> {
    if (!listener) return { status: 404 }
    await listener.called(place, call)
    const body: unknown = JSON.parse(call.body.toString())
    if (!isRecord(body)) return { status: 400 }
    if (body['roomId'] !== undefined) return listener.checked(body)
    const { reservations } = body
    if (!isRecord(reservations) || !Array.isArray(reservations['reservation'])) return { status: 200 }
    const id = call.headers.get('webhook-id') ?? ''
    return listener.delivered(reservations['reservation'].filter(isRecord), id)
  }
}
