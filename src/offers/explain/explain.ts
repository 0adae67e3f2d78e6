import { unset } from '../../ari/blocks/block-codec.ts'
import type { Block } from '../../ari/blocks/block.ts'
import { fieldNumber, guestBucket } from '../../ari/fields.ts'
import {
  allowsBy,
  isClosure,
  restrictionNames,
  restrictions,
  type Restriction,
  type RestrictionName,
} from '../../ari/restrictions.ts'
import { firstDay, formatNight, monthOf, type DayNumber } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import type { OfferRule } from '../contract.ts'
import { taxesOf, type WantedStay } from '../price/evaluate.ts'
import { fits, type Party } from '../party.ts'
import type { RoomRateDays, RowName } from '../stays/room-rate-days.ts'

/**
 * The origin of a value: a revision of the hotel's ARI, with the row, field and day, or a push of the product
 * or the hotel itself.
 */
export type Origin =
  | { kind: 'ari'; revision: number; row: RowName; field: number; day: DayNumber }
  | { kind: 'product' | 'hotel' }

/** The outcome of a rule on all days with the same value from the same origin. */
export type TestedRule = {
  rule: OfferRule
  pass: boolean
  /** The row with the value, for rules that test both the room and the room-rate. */
  of?: RowName
  days: DayNumber[]
  held: unknown
  asked: unknown
  /** The price line that a party needs and the room-rate lacks. */
  missing?: { ageCategory: string; guests: number }
  reason?: string
  origin: Origin | undefined
}

type Context = {
  days: RoomRateDays
  catalog: BookingCatalog
  roomRate: BookableRoomRate
  wanted: WantedStay
  revisions: Revisions
}

/** Every rule of a room-rate: failed rules first, then the others, each in the order of the contract. */
export function explain(
  days: RoomRateDays,
  catalog: BookingCatalog,
  roomRate: BookableRoomRate,
  wanted: WantedStay,
): TestedRule[] {
  const context = { days, catalog, roomRate, wanted, revisions: new Revisions(days) }
  const rules = [
    ...offeredRules(context),
    ...inventoryRules(context),
    ...priceRules(context),
    ...restrictionNames.flatMap((name) => restrictionRules(context, name)),
    ...taxRules(context),
  ]
  return rules.toSorted((one, other) => Number(one.pass) - Number(other.pass))
}

function offeredRules({ catalog, roomRate, wanted }: Context): TestedRule[] {
  const { isAvailable, maxOccupancy, maxAdult, maxChild } = roomRate
  const [hotel, product] = [{ kind: 'hotel' }, { kind: 'product' }] as const
  const whole = (rule: OfferRule, held: boolean, origin: Origin): TestedRule => ({
    rule,
    pass: held,
    days: [],
    held,
    asked: true,
    origin: held ? undefined : origin,
  })
  const occupancy = {
    maxOccupancy,
    ...(maxAdult === null ? {} : { maxAdult }),
    ...(maxChild === null ? {} : { maxChild }),
  }
  return [
    whole('hotelAvailable', catalog.isAvailable, hotel),
    whole('productAvailable', isAvailable, product),
    {
      rule: 'arrivalDate',
      pass: wanted.advanceDays >= 0,
      days: [wanted.arrival],
      held: formatNight(wanted.today),
      asked: formatNight(wanted.arrival),
      origin: undefined,
    },
    ...wanted.parties.distinct.map((party): TestedRule => {
      const pass = fits(party, roomRate)
      const origin = pass ? undefined : product
      return { rule: 'occupancy', pass, days: [], held: occupancy, asked: partyJson(party), origin }
    }),
  ]
}

function partyJson({ adults, children, infants }: Party): object {
  return { adults, children, infants }
}

function inventoryRules(context: Context): TestedRule[] {
  const { days, wanted } = context
  const asked = wanted.parties.partyByRoom.length
  const field = fieldNumber.inventory
  const merged = new Merged()
  for (const row of ['room', 'rate'] as const) {
    for (let day = wanted.arrival; day < wanted.departure; day++) {
      const units = days.at(row, field, day)
      // Either inventory may be the only one set; if neither is, the room's is reported as missing.
      if (units === unset && (row === 'rate' || days.unitsOn(day) !== unset)) continue
      merged.add(day, {
        rule: 'inventory',
        of: row,
        pass: units >= asked,
        held: heldNumber(units),
        asked,
        origin: context.revisions.origin(row, field, day),
      })
    }
  }
  return merged.rules
}

function priceRules({ days, wanted, catalog, roomRate, revisions }: Context): TestedRule[] {
  return wanted.parties.distinct.flatMap((party) => {
    const merged = new Merged()
    for (let day = wanted.arrival; day < wanted.departure; day++) {
      const price = days.priceOn(party, day)
      const missing = price === unset ? missingPrice(days, party, day) : 0
      const fields = price === unset ? [missing, fieldNumber.unitPrice] : fieldsPaid(days, party, day)
      merged.add(day, {
        rule: 'price',
        pass: price !== unset,
        held: price === unset ? null : minorText(price, catalog.minorDigits),
        asked: partyJson(party),
        ...(missing > 0 && roomRate.pricingModel === 'guest' ? { missing: guestBucket(missing) } : {}),
        origin: revisions.newest(
          'rate',
          fields.filter((field) => field > 0),
          day,
        ),
      })
    }
    return merged.rules
  })
}

/**
 * The first missing price line of the guest model; in the unit model it would be the night's only price. 0 if
 * no line has so many adults.
 */
function missingPrice(days: RoomRateDays, { adultPrice, childPrice }: Party, day: DayNumber): number {
  return adultPrice === 0 || days.at('rate', adultPrice, day) === unset ? adultPrice : childPrice
}

function fieldsPaid(days: RoomRateDays, party: Party, day: DayNumber): number[] {
  if (days.at('rate', fieldNumber.unitPrice, day) !== unset) return [fieldNumber.unitPrice]
  return [party.adultPrice, party.childPrice, party.infantPrice]
}

function restrictionRules(context: Context, name: RestrictionName): TestedRule[] {
  const { days, wanted, revisions } = context
  const restriction: Restriction = restrictions[name]
  const { tests, kind } = restriction
  const allows = allowsBy(restriction)
  const field = fieldNumber[name]
  const first = tests === 'departure' ? wanted.departure : wanted.arrival
  const last = tests === 'nights' ? wanted.departure - 1 : first
  const asked = kind === 'switch' ? false : wanted[restriction.compares]
  const rows: readonly RowName[] = isClosure(name) ? ['room', 'rate'] : ['rate']
  return rows.flatMap((row) => {
    const merged = new Merged()
    for (let day = first; day <= last; day++) {
      const held = days.at(row, field, day)
      merged.add(day, {
        rule: name,
        ...(isClosure(name) ? { of: row } : {}),
        pass: held === unset || allows(held, wanted),
        held: kind === 'switch' ? held !== unset : heldNumber(held),
        asked,
        origin: revisions.origin(row, field, day),
      })
    }
    return merged.rules
  })
}

function taxRules({ days, roomRate, wanted }: Context): TestedRule[] {
  const taxed = roomRate.taxes.entries.length > 0 ? taxesOf(days, roomRate, wanted) : undefined
  if (!taxed) return []
  const taxRule = { rule: 'taxes', held: null, asked: null, origin: undefined } as const
  if (taxed.fault === undefined) return [{ ...taxRule, pass: true, days: [] }]
  return [{ ...taxRule, pass: false, days: taxed.nights, reason: taxed.fault }]
}

function heldNumber(value: number): number | null {
  return value === unset ? null : value
}

/** Merges tests of single days that differ only in the day. */
class Merged {
  readonly rules: TestedRule[] = []
  readonly #byText = new Map<string, TestedRule>()

  add(day: DayNumber, tested: Omit<TestedRule, 'days'>): void {
    const { origin, ...rest } = tested
    const set = origin?.kind === 'ari' ? `${origin.revision}/${origin.field}` : ''
    const text = `${set} ${JSON.stringify(rest)}`
    const known = this.#byText.get(text)
    if (known) {
      known.days.push(day)
      return
    }
    const rule = { ...tested, days: [day] }
    this.#byText.set(text, rule)
    this.rules.push(rule)
  }
}

/** The revisions of the hotel that set the values of a room-rate; blocks are decoded on demand. */
class Revisions {
  readonly #days: RoomRateDays
  readonly #blocks: Partial<Record<RowName, (Block | undefined)[]>> = {}

  constructor(days: RoomRateDays) {
    this.#days = days
  }

  origin(row: RowName, field: number, day: DayNumber): Origin | undefined {
    const revision = this.#revisionOf(row, field, day)
    return revision === unset ? undefined : { kind: 'ari', revision, row, field, day }
  }

  /** The latest revision among several fields. */
  newest(row: RowName, fields: readonly number[], day: DayNumber): Origin | undefined {
    let newest: Origin | undefined
    for (const field of fields) {
      const origin = this.origin(row, field, day)
      if (origin?.kind !== 'ari') continue
      if (newest?.kind !== 'ari' || origin.revision > newest.revision) newest = origin
    }
    return newest
  }

  #revisionOf(row: RowName, field: number, day: DayNumber): number {
    const blocks = (this.#blocks[row] ??= this.#days.blocks(row))
    const month = monthOf(day)
    return blocks[month - this.#days.firstMonth]?.revisions(field)?.[day - firstDay(month)] ?? unset
  }
}
