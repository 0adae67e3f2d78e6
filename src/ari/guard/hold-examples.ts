import { firstDay, formatNight } from '../../base/calendar.ts'
import { fromMinor } from '../../base/money.ts'
import { unset } from '../blocks/block-codec.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { namesOf } from '../catalog/row-names.ts'
import { guestBucket, isGuestPriceField, isPriceField } from '../fields.ts'
import { historyFieldOf } from '../history/replaced-values.ts'
import { isSwitch } from '../restrictions.ts'
import type { HoldExample } from './contract.ts'

/** A value of a night, and what it was compared with. */
export type Shown = { field: number; value: number; from: number; night: number }

/** Puts what is held, or only warned of, into the words of the supplier. */
export class HoldExamples {
  readonly #catalog: HotelCatalog
  #names: ReturnType<typeof namesOf> | undefined

  constructor(catalog: HotelCatalog) {
    this.#catalog = catalog
  }

  of(
    { roomNo, rateNo }: { roomNo: number; rateNo: number },
    month: number,
    { field, value, from, night }: Shown,
    bound: number | null,
  ): HoldExample {
    this.#names ??= namesOf(this.#catalog)
    const { minorDigits, roomCode, rateCode } = this.#names
    const name = historyFieldOf(field)
    const isPrice = isPriceField(field)
    const shown = (one: number): number | boolean | null => {
      if (name !== 'price' && name !== 'inventory' && isSwitch(name)) return one === 1
      if (one === unset) return null
      return isPrice ? fromMinor(one, minorDigits) : one
    }
    return {
      roomId: roomCode(roomNo),
      rateId: rateNo === 0 ? null : rateCode(rateNo),
      date: formatNight(firstDay(month) + night),
      field: name,
      ...(isGuestPriceField(field) ? guestBucket(field) : {}),
      before: shown(from),
      after: shown(value),
      bound: bound !== null && isPrice ? fromMinor(bound, minorDigits) : bound,
    }
  }
}
