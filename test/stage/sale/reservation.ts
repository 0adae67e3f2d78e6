import { amountText, minorOf, sum } from './exact.ts'
import { letGo } from './claims.ts'
import type { State } from './state.ts'
import { cancelDue, noShowDue, type Due } from './shown.ts'

/** A reservation as the ledger knows it: each version as it was told, what the hotel reported since, and what stands. */

export type Version = { status: 'Confirm' | 'Cancel'; state: State; atMs: number }
type Presence = { report: 'arrived' | 'no_show'; isWaived: boolean }

export class Reservation {
  readonly id: string
  readonly versions: Version[]
  /** The last version, without what the hotel let go of since. */
  #present: State
  readonly #presence = new Map<number, Presence>()
  /** Whether the last report about all rooms waived their no-show. */
  #isNoShowWaived = false
  /** The rooms of which the hotel let go since the last version. */
  #waived = new Set<number>()

  constructor(id: string, state: State, atMs: number) {
    this.id = id
    this.versions = [{ status: 'Confirm', state, atMs }]
    this.#present = state
  }

  get number(): number {
    return this.versions.length
  }

  get status(): Version['status'] {
    return this.versions.at(-1)?.status ?? 'Confirm'
  }

  get hasArrived(): boolean {
    return [...this.#presence.values()].some(({ report }) => report === 'arrived')
  }

  hasArrivedIn(number: number | undefined): boolean {
    return [...this.#presence].some(
      ([room, { report }]) => report === 'arrived' && (number === undefined || room === number),
    )
  }

  get state(): State {
    const waived = [...this.#presence].filter(([, { report, isWaived }]) => report === 'no_show' && isWaived)
    let state = this.#present
    for (const [number] of waived) state = letGo(state, number)
    if (!this.#isNoShowWaived) return state
    return { ...state, gone: state.gone.map((room) => ({ ...room, amount: 0 })) }
  }

  add(status: Version['status'], state: State, atMs: number): void {
    this.versions.push({ status, state, atMs })
    this.#present = state
    this.#waived = new Set()
  }

  /** `number`: one room; absent: all. */
  report(report: string, { isWaived, number }: { isWaived: boolean; number: number | undefined }): void {
    const isMeant = (one: { number: number }): boolean => number === undefined || one.number === number
    for (const room of this.#present.rooms.filter(isMeant)) {
      const before = this.#presence.get(room.number)
      if (report === 'arrived' || report === 'no_show') this.#presence.set(room.number, { report, isWaived })
      if (report === 'waived' && before?.report === 'no_show')
        this.#presence.set(room.number, { ...before, isWaived: true })
      if (report === 'waived') this.#waived.add(room.number)
    }
    if (number === undefined && report === 'no_show') this.#isNoShowWaived = isWaived
    if (report === 'waived') this.#present = letGo(this.#present, number)
  }

  /** What the guest owes for cancelling, or for not coming. */
  due(): Due | null {
    const { id, state } = this
    const last = this.versions.at(-1)
    if (last?.status === 'Cancel') return this.#withoutWaived(cancelDue(id, state, last.atMs))
    const missing = [...this.#presence].filter(([, { report }]) => report === 'no_show')
    const waived = missing.filter(([, { isWaived }]) => isWaived)
    return noShowDue(id, state, { missing: missing.map(([one]) => one), waived: waived.map(([one]) => one) })
  }

  #withoutWaived(due: Due | null): Due | null {
    if (this.#waived.size === 0) return due
    const { digits, rooms } = this.state
    const isWaived = (room: string): boolean => [...this.#waived].some((one) => `${this.id}-${one}` === room)
    const by = (due?.by ?? []).filter(({ room }) => !isWaived(room))
    const unknown = rooms.filter(({ steps }) => !steps).map(({ number }) => `${this.id}-${number}`)
    const minor = sum(by.map(({ amount }) => minorOf(amount, digits)))
    return { amount: amountText(minor, digits), by, unknown: unknown.filter((room) => !isWaived(room)) }
  }
}
