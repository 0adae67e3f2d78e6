import { unset } from '../../ari/blocks/block-codec.ts'
import { fieldNumber, guestBucket } from '../../ari/fields.ts'
import {
  allowsBy,
  isClosure,
  restrictionNames,
  restrictions,
  type Restriction,
  type RestrictionName,
} from '../../ari/restrictions.ts'
import { formatNight, type DayNumber } from '../../base/calendar.ts'
import { counted } from '../../base/counted.ts'
import { minorText } from '../../base/money.ts'
import type { TaxFault } from '../../taxes/compute/compute.ts'
import { formerTaxText } from '../../taxes/former-taxes.ts'
import { formerNights } from '../../taxes/room-rate-taxes.ts'
import { formerTermsOn } from '../../products/policies/arrival-terms.ts'
import type { LiveAnswer } from '../stays/live-answers.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import type { OfferRule } from '../contract.ts'
import { isHeld, taxesOf, type WantedStay } from '../price/evaluate.ts'
import { fits, type Party } from '../party.ts'
import type { RoomRateDays, RowName } from '../stays/room-rate-days.ts'
import { liveRule } from './live-rule.ts'
import { Revisions, type Origin } from './revisions.ts'

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
  reason?: TaxFault['fault']
  /** What must be pushed again because it is of a former currency. */
  pushAgain?: string[]
  origin: Origin | undefined
}

type Context = {
  days: RoomRateDays
  catalog: BookingCatalog
  roomRate: BookableRoomRate
  wanted: WantedStay
  revisions: Revisions
}

/**
 * Every rule of a room-rate: failed rules first, then the others, each in the order of the contract. `soldOut`: the
 * supplier's own answer that it has no units.
 */
export function explain(
  days: RoomRateDays,
  catalog: BookingCatalog,
  roomRate: BookableRoomRate,
  wanted: WantedStay,
  soldOut?: LiveAnswer,
): TestedRule[] {
  const context = { days, catalog, roomRate, wanted, revisions: new Revisions(days) }
  const rules = [
    ...offeredRules(context),
    ...inventoryRules(context),
    ...priceRules(context),
    ...restrictionNames.flatMap((name) => restrictionRules(context, name)),
    ...taxRules(context),
    ...termsRules(context),
    ...(soldOut ? [liveRule(soldOut, wanted)] : []),
  ]
  return rules.toSorted((one, other) => Number(one.pass) - Number(other.pass))
}

function offeredRules({ catalog, roomRate, wanted }: Context): TestedRule[] {
  const { isAvailable, maxOccupancy, maxAdult, maxChild, maxInfant } = roomRate
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
    ...(maxInfant === null ? {} : { maxInfant }),
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
      if (wanted.held?.priced.has(day)) continue
      const price = days.priceOn(party, day)
      const missing = price === unset ? missingPrice(days, party, day) : 0
      const fields = price === unset ? [missing, fieldNumber.unitPrice] : fieldsPaid(days, party, day)
      merged.add(day, {
        rule: 'price',
        pass: price !== unset,
        held: price === unset ? null : minorText(price, catalog.minorDigits),
        asked: partyJson(party),
        ...(missing > 0 && roomRate.pricingModel === 'guest' ? { missing: guestBucket(missing) } : {}),
        ...(price === unset ? formerPrice(days, missing, day) : {}),
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
function missingPrice(
  days: RoomRateDays,
  { adultPrice, childPrice, infantPrice }: Party,
  day: DayNumber,
): number {
  if (adultPrice === 0 || days.at('rate', adultPrice, day) === unset) return adultPrice
  return childPrice > 0 && days.at('rate', childPrice, day) === unset ? childPrice : infantPrice
}

/** The missing price, if it is only missing because it is in a former currency. */
function formerPrice(
  days: RoomRateDays,
  missing: number,
  day: DayNumber,
): Pick<TestedRule, 'reason' | 'pushAgain'> {
  const field = [fieldNumber.unitPrice, missing].find((one) => one > 0 && days.isFormer(one, day))
  if (field === undefined) return {}
  return { reason: 'FORMER_CURRENCY', pushAgain: [priceText(field)] }
}

function priceText(field: number): string {
  if (field === fieldNumber.unitPrice) return 'the price of the unit'
  const { ageCategory, guests } = guestBucket(field)
  return `the price for ${ageCategory === 'child' && guests > 1 ? `${guests} children` : counted(guests, ageCategory)}`
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
      if (isClosure(name) && isHeld(wanted.held, day)) continue
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

function taxRules(context: Context): TestedRule[] {
  const { days, roomRate, wanted } = context
  const taxRule = { rule: 'taxes', held: null, asked: null, origin: undefined } as const
  const former = formerTaxes(context)
  if (former) return [{ ...taxRule, pass: false, ...former }]
  const taxed = wanted.held?.priced.size ? undefined : taxesOf(days, roomRate, wanted)
  if (!taxed) return []
  const { fault: reason } = taxed
  if (reason === 'TOTAL_TOO_LARGE')
    return [{ ...taxRule, rule: 'total', pass: false, days: taxed.nights, reason }]
  if (roomRate.taxes.entries.length === 0) return []
  if (reason === undefined) return [{ ...taxRule, pass: true, days: [] }]
  return [{ ...taxRule, pass: false, days: taxed.nights, reason }]
}

/** Unlike other faults of taxes, known whether or not the nights have prices. */
function formerTaxes({
  roomRate: { taxes, room, rate },
  wanted: { arrival, departure },
}: Context): Pick<TestedRule, 'days' | 'reason' | 'pushAgain'> | undefined {
  const nights = taxes.hasFormer ? formerNights(taxes, arrival, departure) : []
  if (nights.length === 0) return undefined
  const due = taxes.entries.filter(
    ({ isFormer, firstNight, lastNight }) => isFormer && firstNight < departure && lastNight >= arrival,
  )
  const codes = {
    property: {},
    room: { roomId: room.code },
    rate: { rateId: rate.code },
    pair: { roomId: room.code, rateId: rate.code },
  }
  const pushAgain = due.map(({ tax, scope }) => formerTaxText(tax, codes[scope]))
  return { days: nights, reason: 'FORMER_CURRENCY', pushAgain }
}

/** The policy for the arrival, where it has amounts of a former currency. */
function termsRules({ catalog, roomRate, wanted: { arrival } }: Context): TestedRule[] {
  const unknown = formerTermsOn(roomRate.policies, arrival, catalog.minorDigits)
  if (unknown.length === 0) return []
  const rule = { rule: 'cancelPolicy', pass: false, held: null, asked: null } as const
  const reason = 'FORMER_CURRENCY'
  return [{ ...rule, days: [arrival], reason, pushAgain: unknown, origin: { kind: 'product' } }]
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
