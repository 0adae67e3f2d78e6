import type { DayNumber, MonthNumber } from '../base/calendar.ts'
import { unset } from '../ari/block-codec.ts'
import type { Block } from '../ari/block.ts'
import { closureFields, fieldNumber } from '../ari/fields.ts'
import { RowDays } from '../ari/row-days.ts'
import { roomRateKey } from '../products/store.ts'
import type { BookableRoomRate } from './booking-catalog.ts'
import { blockOf, readRow } from './hotel-month.ts'
import type { Party } from './party.ts'
import type { HotelStay } from './stays.ts'

/** The row of a room-rate that a value belongs to: the room's own row, or that of the room with the rate. */
export type RowName = 'room' | 'rate'

/** The values of one room-rate on the days of a window; reused for the next room-rate and the next hotel. */
export class RoomRateDays {
  firstMonth: MonthNumber
  readonly #room: RowDays
  readonly #rate: RowDays
  #months: HotelStay['months']
  #currencyRevision: number
  #roomNo = 0
  #key = 0

  constructor(stay: HotelStay, window: { from: DayNumber; days: number }, priceFields: readonly number[]) {
    this.#months = stay.months
    this.firstMonth = stay.firstMonth
    this.#currencyRevision = stay.currencyRevision
    this.#room = new RowDays(window.from, window.days, [])
    this.#rate = new RowDays(window.from, window.days, priceFields)
  }

  /** Switches to another hotel, read with the same window; the caller then selects its room-rate. */
  turnToHotel({ firstMonth, months, currencyRevision }: HotelStay): void {
    this.firstMonth = firstMonth
    this.#months = months
    this.#currencyRevision = currencyRevision
    this.#roomNo = 0
  }

  turnTo({ roomNo, key }: BookableRoomRate): void {
    this.#key = key
    this.#read(this.#rate, key)
    if (roomNo === this.#roomNo) return
    this.#roomNo = roomNo
    this.#read(this.#room, roomRateKey(roomNo, 0))
  }

  #read(row: RowDays, key: number): void {
    row.clear()
    for (let index = 0; index < this.#months.length; index++) {
      const month = this.#months[index]
      if (month) readRow(month, this.firstMonth + index, key, row, this.#currencyRevision)
    }
  }

  /** Whether the row may have a value of the field on any day. */
  holds(row: RowName, field: number): boolean {
    return (row === 'room' ? this.#room : this.#rate).holds(field)
  }

  at(row: RowName, field: number, day: DayNumber): number {
    return (row === 'room' ? this.#room : this.#rate).at(field, day)
  }

  /** The units for sale on a night: the room's, or the rate's own if fewer; `unset` if neither is set. */
  unitsOn(day: DayNumber): number {
    const ofRoom = this.#room.at(fieldNumber.inventory, day)
    const ofRate = this.#rate.at(fieldNumber.inventory, day)
    if (ofRate === unset) return ofRoom
    return ofRoom === unset || ofRate < ofRoom ? ofRate : ofRoom
  }

  isClosedOn(day: DayNumber): boolean {
    return [this.#room, this.#rate].some((row) => closureFields.some((field) => row.at(field, day) !== unset))
  }

  /**
   * The price for a party on a night; `unset` if there is none. A night has prices of one model only. Infants
   * without a price are free. There is no interpolation between the numbers of guests that have a price.
   */
  priceOn(party: Party, day: DayNumber): number {
    const rate = this.#rate
    const unit = rate.at(fieldNumber.unitPrice, day)
    if (unit !== unset) return unit
    const adults = rate.at(party.adultPrice, day)
    if (adults === unset) return unset
    const children = party.childPrice === 0 ? 0 : rate.at(party.childPrice, day)
    if (children === unset) return unset
    const infants = party.infantPrice === 0 ? 0 : rate.at(party.infantPrice, day)
    return adults + children + (infants === unset ? 0 : infants)
  }

  /** The row's blocks by month, for callers that need the revisions of its values. */
  blocks(row: RowName): (Block | undefined)[] {
    const key = row === 'rate' ? this.#key : roomRateKey(this.#roomNo, 0)
    return this.#months.map((month) => blockOf(month, key))
  }
}
