import { formatNight, type DayNumber } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import { termsOn, type Policies } from '../../products/policies/arrival-terms.ts'
import type { Fee } from '../../products/policies/contract.ts'
import type { TaxLine } from '../../taxes/compute/amounts.ts'
import type { PricedRoom, TaxedRoom, TaxedTotal } from '../../taxes/compute/compute.ts'
import { traceTaxes } from '../../taxes/compute/trace.ts'
import type { RoomRateTaxes } from '../../taxes/room-rate-taxes.ts'
import type { OfferLive } from '../live/heard.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import { cancellationOfSteps } from '../terms/cancellation.ts'
import { penaltySteps, policyText, prepareTerms, type PreparedTerms } from '../terms/penalties.ts'
import { feeBasesOf, feesOfRooms, renderFee, sumOfFees, traceFees, type FeeBase } from '../terms/fees.ts'
import { termsDigest } from '../terms/terms-digest.ts'
import type { WantedStay } from '../price/evaluate.ts'

/** A room-rate with the price at which it is sold. */
export type Sold = {
  unitsLeft: number
  rooms: readonly PricedRoom[]
  taxed: {
    rooms: readonly Pick<TaxedRoom, 'penaltyBase' | 'total'>[]
    lines: readonly { tax: ShownTax; amount: number }[]
    total: TaxedTotal
  }
}
type ShownTax = Pick<TaxLine['tax'], 'type' | 'included' | 'payNow'>

/** What counts for the arrival under some policies, with the digests by taxes and meal plan. */
type Terms = {
  /** Undefined: no policy holds the arrival. */
  prepared: PreparedTerms | undefined
  digests: Map<RoomRateTaxes, Map<string | null, string>>
}

/**
 * Offers as JSON text, assembled from prepared pieces: in a search with thousands of offers, building objects
 * and serializing them would take most of the time.
 */
export class OfferTexts {
  readonly #catalog: BookingCatalog
  readonly #wanted: WantedStay
  readonly #hasTrace: boolean
  readonly #beforeNights: readonly string[]
  /** The JSON before a tax's amount. */
  readonly #beforeTax = new Map<ShownTax, string>()
  readonly #termsByPolicies = new Map<Policies, Terms>()
  /** The present moment by the account's clock. */
  readonly #nowMs: number

  /** All hotels of a search share `beforeNights`. */
  constructor(
    catalog: BookingCatalog,
    wanted: WantedStay,
    { nowMs, beforeNights, hasTrace }: { nowMs: number; beforeNights: readonly string[]; hasTrace: boolean },
  ) {
    this.#nowMs = nowMs
    this.#catalog = catalog
    this.#wanted = wanted
    this.#hasTrace = hasTrace
    this.#beforeNights = beforeNights
  }

  text(roomRate: BookableRoomRate, { unitsLeft, rooms, taxed }: Sold, live?: OfferLive): string {
    const { minorDigits } = this.#catalog
    const { prepared, digests } = this.#termsOf(roomRate)
    const definitions = prepared?.fees ?? []
    const bases = definitions.length > 0 || this.#hasTrace ? feeBasesOf(rooms, taxed) : []
    const fees = feesOfRooms(definitions, bases, minorDigits)
    const feesJson = fees.map((fee) => JSON.stringify(renderFee(fee, minorDigits))).join()
    const trace = this.#hasTrace ? `,"trace":${this.#trace(rooms, definitions, bases)}` : ''
    const liveJson = live ? `,"live":${JSON.stringify(live)}` : ''
    const penaltyBases = taxed.rooms.map(({ penaltyBase }) => penaltyBase)
    const steps = prepared && penaltySteps(prepared, penaltyBases, minorDigits)
    const policyJson = prepared ? policyText(prepared, steps, minorDigits) : 'null'
    const { cancellation, freeUntil } = cancellationOfSteps(steps, this.#nowMs)
    const untilJson = freeUntil === null ? 'null' : `"${freeUntil}"`
    const digest = this.#digest(roomRate, prepared, digests)
    return `${roomRate.head},"unitsLeft":${unitsLeft},"rooms":[${this.#rooms(rooms)}],"taxes":[${this.#taxes(taxed.lines)}],"total":${this.#total(taxed.total, sumOfFees(fees))},"cancellation":"${cancellation}","freeUntil":${untilJson},"cancelPolicy":${policyJson},"termsDigest":"${digest}","fees":[${feesJson}]${liveJson}${trace}}`
  }

  #rooms(rooms: readonly PricedRoom[]): string {
    let text = ''
    let last: PricedRoom | undefined
    let lastText = ''
    for (const room of rooms) {
      if (room !== last) lastText = `{"nights":[${this.#nights(room)}]}`
      last = room
      text += text === '' ? lastText : `,${lastText}`
    }
    return text
  }

  #nights({ nights }: PricedRoom): string {
    const { minorDigits } = this.#catalog
    let text = ''
    for (let index = 0; index < nights.length; index++)
      text += `${this.#beforeNights[index] ?? ''}${minorText(nights[index]?.price ?? 0, minorDigits)}"}`
    return text
  }

  #taxes(lines: Sold['taxed']['lines']): string {
    const { minorDigits } = this.#catalog
    let text = ''
    for (const { tax, amount } of lines) {
      if (text !== '') text += ','
      text += `${this.#beforeTax.get(tax) ?? this.#beforeTaxText(tax)}${minorText(amount, minorDigits)}"}`
    }
    return text
  }

  #beforeTaxText(tax: ShownTax): string {
    const { type, included, payNow } = tax
    const text = `${JSON.stringify({ type, included, payNow }).slice(0, -1)},"amount":"`
    this.#beforeTax.set(tax, text)
    return text
  }

  #total({ beforeTax, tax, afterTax, dueAtProperty }: TaxedTotal, fees: number): string {
    const { minorDigits } = this.#catalog
    const allIn = afterTax + dueAtProperty + fees
    return `{"beforeTax":"${minorText(beforeTax, minorDigits)}","tax":"${minorText(tax, minorDigits)}","afterTax":"${minorText(afterTax, minorDigits)}","dueAtProperty":"${minorText(dueAtProperty, minorDigits)}","feesAtProperty":"${minorText(fees, minorDigits)}","allIn":"${minorText(allIn, minorDigits)}"}`
  }

  #termsOf({ policies }: BookableRoomRate): Terms {
    const known = this.#termsByPolicies.get(policies)
    if (known) return known
    const { timeZone } = this.#catalog
    const { arrival } = this.#wanted
    const terms = termsOn(policies, arrival)
    const made = { prepared: terms && prepareTerms(terms, timeZone, arrival), digests: new Map() }
    this.#termsByPolicies.set(policies, made)
    return made
  }

  #digest(
    { mealPlan, taxes }: BookableRoomRate,
    terms: PreparedTerms | undefined,
    digests: Terms['digests'],
  ): string {
    const byPlan = digests.get(taxes) ?? new Map<string | null, string>()
    digests.set(taxes, byPlan)
    const known = byPlan.get(mealPlan)
    if (known !== undefined) return known
    const { arrival, departure } = this.#wanted
    const pushed = taxes.entries.map(({ tax }) => tax)
    const digest = termsDigest({ terms, mealPlan, taxes: pushed, arrival, departure }, this.#nowMs)
    byPlan.set(mealPlan, digest)
    return digest
  }

  #trace(rooms: readonly PricedRoom[], fees: readonly Fee[], bases: readonly FeeBase[]): string {
    const { minorDigits } = this.#catalog
    const traced = traceTaxes(rooms).map(({ persons, nights, lines }, index) => ({
      persons,
      nights: nights.map(({ day, taxes, ...night }) => ({
        date: formatNight(day),
        ...night,
        taxes: taxes.map(({ tax, ...steps }) => ({ type: tax.type, ...steps })),
      })),
      taxes: lines.map(({ tax, exact, rounded }) => ({
        type: tax.type,
        exact,
        amount: minorText(rounded, minorDigits),
      })),
      fees: bases.slice(index, index + 1).flatMap((base) => traceFees(fees, base, minorDigits)),
    }))
    return JSON.stringify(traced)
  }
}

/** The JSON before the amount of each night of a stay; the first has no leading comma. */
export function textsBeforeNights({
  arrival,
  departure,
}: {
  arrival: DayNumber
  departure: DayNumber
}): string[] {
  return Array.from(
    { length: departure - arrival },
    (_, index) => `${index > 0 ? ',' : ''}{"date":"${formatNight(arrival + index)}","amount":"`,
  )
}

const bytesAtFirst = 64 * 1024
/** The most bytes per character: one beyond the basic plane is two characters and four bytes. */
const bytesACharacter = 3

/** An answer's bytes, assembled part by part, so that each part's text can be freed at once. */
export class AnswerBytes {
  #bytes: Buffer = Buffer.allocUnsafeSlow(bytesAtFirst)
  #length = 0

  add(text: string): void {
    const free = this.#bytes.length - this.#length
    if (text.length * bytesACharacter > free) {
      const needed = Buffer.byteLength(text)
      if (needed > free) this.#grow(this.#length + needed)
    }
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** No more parts may be added afterwards. */
  all(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#bytes.length * 2))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}
