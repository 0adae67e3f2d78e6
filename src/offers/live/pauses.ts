import type { Needs } from '../../postgres/postgres.ts'
import { selectPausedSuppliers, selectPauses } from '../../webhooks/paused-urls.ts'
import type { HotelStay } from '../stays/stays.ts'

/** Within this time, what any process of the service paused is known here; a search between looks takes no statement. */
const freshForMs = 1_000

const none: ReadonlyMap<number, number> = new Map()

/** Which hotels can't be booked for now, because their supplier's URL is paused and the account then takes no bookings. */
export class Pauses {
  readonly #needs: Pick<Needs, 'db' | 'clock'>
  #suppliers: ReadonlySet<string> = new Set()
  #readMs = -Infinity
  #reading: Promise<void> | undefined
  #changes = 0

  constructor(needs: Pick<Needs, 'db' | 'clock'>) {
    this.#needs = needs
    needs.db.epoch.onChange(() => this.changed())
  }

  /** Another look is due: this process itself paused a URL, or calls one again. */
  changed(): void {
    this.#changes++
    this.#readMs = -Infinity
  }

  async beFresh(): Promise<void> {
    if (performance.now() - this.#readMs < freshForMs) return
    await (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)))
  }

  /** Until when, by hotel; of most hotels there is nothing to ask. */
  async untilByHotel(stays: Iterable<Pick<HotelStay, 'catalog'>>): Promise<ReadonlyMap<number, number>> {
    if (this.#suppliers.size === 0) return none
    const ids: number[] = []
    for (const { catalog } of stays) if (this.#suppliers.has(catalog.supplier)) ids.push(catalog.hotelId)
    const { db, clock } = this.#needs
    return ids.length === 0 ? none : selectPauses(db, ids, clock.now())
  }

  async #read(): Promise<void> {
    const beganMs = performance.now()
    const changes = this.#changes
    const { db, clock } = this.#needs
    this.#suppliers = new Set(await selectPausedSuppliers(db, clock.now()))
    if (changes === this.#changes) this.#readMs = beganMs
  }
}
