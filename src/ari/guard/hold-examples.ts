import { firstDay, formatNight } from '../../base/calendar.ts'
import { fromMinor } from '../../base/money.ts'
import { unset } from '../blocks/block-codec.ts'
import { nightsWhere, type NightMask } from '../blocks/month.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { namesOf } from '../catalog/row-names.ts'
import { guestBucket, isGuestPriceField, isPriceField } from '../fields.ts'
import { historyFieldOf } from '../history/replaced-values.ts'
import { isSwitch } from '../restrictions.ts'
import { guardLimits, type HoldExample } from './contract.ts'
import type { Judged } from './judged-push.ts'
import type { Verdict } from './rules/rules.ts'

/** A value of a night, and what it was compared with. */
export type Shown = { field: number; value: number; from: number; night: number }

/** One verdict on some nights, with what it says of the first of them. */
export type Found = { verdict: Verdict; nights: NightMask; shown: Shown[] }

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

/** Which verdicts there are, and on which nights. */
export function findingsOf(nights: NightMask, judge: (night: number) => Judged | undefined): Found[] {
  const found = new Map<string, Found>()
  nightsWhere(nights, (night) => {
    const judged = judge(night)
    if (!judged) return false
    const { verdict, ...rest } = judged
    const key = `${verdict.reason}/${verdict.action}/${verdict.bound}`
    const same = found.get(key) ?? { verdict, nights: 0, shown: [] }
    found.set(key, same)
    same.nights |= 1 << night
    if (same.shown.length < guardLimits.examplesMax) same.shown.push({ ...rest, night })
    return true
  })
  return [...found.values()]
}
