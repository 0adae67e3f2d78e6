import { formatNight, type DayNumber } from '../../base/calendar.ts'
import { minorText } from '../../base/money.ts'
import type { CancelPolicy } from '../../products/policies/contract.ts'
import type { PricedRoom, TaxedTotal, TaxLine } from '../../taxes/compute/compute.ts'
import { traceTaxes } from '../../taxes/compute/trace.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import { policyText, preparePolicy, type PreparedPolicy } from '../terms/penalties.ts'
import { feeBasesOf, feesText, traceFees, type Fee, type FeeBase } from '../terms/fees.ts'
import type { Quote, WantedStay } from '../price/evaluate.ts'

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
  readonly #beforeTax = new Map<TaxLine['tax'], string>()
  /** null if no policy applies to the date of arrival. */
  readonly #policyByList = new Map<readonly CancelPolicy[], PreparedPolicy | null>()

  /** All hotels of a search share `beforeNights`. */
  constructor(
    catalog: BookingCatalog,
    wanted: WantedStay,
    { beforeNights, hasTrace }: { beforeNights: readonly string[]; hasTrace: boolean },
  ) {
    this.#catalog = catalog
    this.#wanted = wanted
    this.#hasTrace = hasTrace
    this.#beforeNights = beforeNights
  }

  text(roomRate: BookableRoomRate, quote: Quote): string {
    const { unitsLeft, rooms, taxed } = quote
    const { minorDigits } = this.#catalog
    const policy = this.#policyOf(roomRate)
    const fees = policy?.fees ?? []
    const bases = fees.length > 0 || this.#hasTrace ? feeBasesOf(rooms, taxed) : []
    const trace = this.#hasTrace ? `,"trace":${this.#trace(rooms, fees, bases)}` : ''
    const policyJson = policy === null ? 'null' : policyText(policy, quote, minorDigits)
    return `${roomRate.head},"unitsLeft":${unitsLeft},"rooms":[${this.#rooms(rooms)}],"taxes":[${this.#taxes(taxed.lines)}],"total":${this.#total(taxed.total)},"cancelPolicy":${policyJson},"fees":[${feesText(fees, bases, minorDigits)}]${trace}}`
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

  #taxes(lines: readonly TaxLine[]): string {
    const { minorDigits } = this.#catalog
    let text = ''
    for (const { tax, amount } of lines) {
      if (text !== '') text += ','
      text += `${this.#beforeTax.get(tax) ?? this.#beforeTaxText(tax)}${minorText(amount, minorDigits)}"}`
    }
    return text
  }

  #beforeTaxText(tax: TaxLine['tax']): string {
    const { type, included, payNow } = tax
    const text = `${JSON.stringify({ type, included, payNow }).slice(0, -1)},"amount":"`
    this.#beforeTax.set(tax, text)
    return text
  }

  #total({ beforeTax, tax, afterTax, dueAtProperty }: TaxedTotal): string {
    const { minorDigits } = this.#catalog
    return `{"beforeTax":"${minorText(beforeTax, minorDigits)}","tax":"${minorText(tax, minorDigits)}","afterTax":"${minorText(afterTax, minorDigits)}","dueAtProperty":"${minorText(dueAtProperty, minorDigits)}"}`
  }

  /** null if no policy applies to the date of arrival. */
  #policyOf({ policies }: BookableRoomRate): PreparedPolicy | null {
    if (policies.length === 0) return null
    const known = this.#policyByList.get(policies)
    if (known !== undefined) return known
    const prepared = preparePolicy(policies, this.#catalog.timeZone, this.#wanted.arrival) ?? null
    this.#policyByList.set(policies, prepared)
    return prepared
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
