/**
 * The hashes by which the platform and a supplier compare what they have stored, computed from the supplier's
 * side. The guide “Finding differences” states the format.
 */

import { digestRules } from './api.ts'

export type DigestGroup = 'inv' | 'res' | 'pri'
/** Empty where nothing is set. */
export type Digests = Record<DigestGroup, string>
/** Absent `rateId`: what the room itself has, for all its rates. */
export type ProductName = { roomId: string; rateId?: string }

type Rules = typeof digestRules
export type SwitchName = (Rules['switches'] | Rules['laterSwitches'])[number]
export type LimitName = (Rules['limits'] | Rules['laterLimits'])[number]

/**
 * Everything that is set on a night of a room or a room-rate. Absent, null, false and (for limits except maxAdvanceDays) 0:
 * not set.
 */
export type StoredNight = ProductName & {
  /** YYYY-MM-DD. */
  date: string
  inventory?: number | null
  /** In minor units: `{ u: 9000 }` a unit, or by guests: `{ a1: 9000, a2: 11000, c1: 1500, i1: 0 }`. */
  prices?: Readonly<Record<string, number>>
} & { [Name in SwitchName]?: boolean | null } & { [Name in LimitName]?: number | null }

export const switches: readonly SwitchName[] = [...digestRules.switches, ...digestRules.laterSwitches]
export const limits: readonly LimitName[] = [...digestRules.limits, ...digestRules.laterLimits]

/** The lines of a night, without its date. */
export function nightLines(night: StoredNight): Digests {
  const prices = Object.entries(night.prices ?? {}).map(([bucket, amount]) => `${bucket}=${amount}`)
  const model = night.prices?.['u'] === undefined ? 'guest' : 'unit'
  return {
    inv: unitsText(night.inventory),
    res: night.rateId === undefined ? (night.closed === true ? '1' : '') : rulesText(night),
    pri: prices.length === 0 ? '' : `${model}|${prices.sort().join(',')}`,
  }
}

function rulesText(night: StoredNight): string {
  const flags = digestRules.switches.map((name) => switchText(night[name]))
  const bounds = digestRules.limits.map((name) => limitText(name, night[name]))
  const later = digestRules.later.flatMap((name) => laterText(name, night[name]))
  const isSet = flags.includes('1') || bounds.some((text) => text !== '') || later.length > 0
  return isSet ? [...flags, ...bounds, ...later].join('|') : ''
}

/** Below zero (overbooked) none are sold. */
function unitsText(units: number | null | undefined): string {
  return typeof units === 'number' ? String(Math.max(0, units)) : ''
}

type Value = boolean | number | null | undefined

function switchText(value: Value): string {
  return value === true ? '1' : '0'
}

const zeroLimits: readonly string[] = digestRules.zeroLimits

/** Most limits aren't set by 0. */
function limitText(name: string, value: Value): string {
  return value === 0 && !zeroLimits.includes(name) ? '' : String(value ?? '')
}

/** A rule of a later version is in the line only where it is set. */
function laterText(name: string, value: Value): string[] {
  if (typeof value === 'boolean') return value ? [`${name}=1`] : []
  const text = limitText(name, value)
  return text === '' ? [] : [`${name}=${text}`]
}

export type MonthDigests = ProductName & { month: string } & Digests
export type HotelDigests = { hotel: Digests; products: (ProductName & Digests)[]; months: MonthDigests[] }

/** The hashes of a hotel, of its rooms and room-rates, and of their months. `nights`: in any order, each once. */
export async function hotelDigests(nights: readonly StoredNight[]): Promise<HotelDigests> {
  const linesByMonth = new Map<string, { name: ProductName; lines: Map<string, Digests> }>()
  for (const night of nights) {
    const name = nameOf(night)
    const text = `${productKey(name)}\n${night.date.slice(0, 7)}`
    const ofMonth = linesByMonth.get(text) ?? { name, lines: new Map<string, Digests>() }
    linesByMonth.set(text, ofMonth)
    ofMonth.lines.set(night.date, nightLines(night))
  }
  const months: MonthDigests[] = []
  const monthsByProduct = new Map<string, { name: ProductName; months: Map<string, Digests> }>()
  for (const [text, { name, lines }] of inOrder(linesByMonth)) {
    const [key = '', month = ''] = text.split('\n')
    const digests = await hashOfParts(lines, '|')
    if (isNothing(digests)) continue
    months.push({ ...name, month, ...digests })
    const product = monthsByProduct.get(key) ?? { name, months: new Map<string, Digests>() }
    monthsByProduct.set(key, product)
    product.months.set(month, digests)
  }
  const products: (ProductName & Digests)[] = []
  const digestsByKey = new Map<string, Digests>()
  for (const [key, product] of monthsByProduct) {
    const digests = await hashOfParts(product.months, ':')
    digestsByKey.set(key, digests)
    products.push({ ...product.name, ...digests })
  }
  return { hotel: await hashOfParts(digestsByKey, ':'), products, months }
}

export function nameOf({ roomId, rateId }: ProductName): ProductName {
  return rateId === undefined ? { roomId } : { roomId, rateId }
}

/** The name of a room or room-rate that its hotel's hash contains. */
export function productKey({ roomId, rateId }: ProductName): string {
  return rateId === undefined ? encoded(roomId) : `${encoded(roomId)}/${encoded(rateId)}`
}

function encoded(code: string): string {
  return code.replace(/[%|/\p{Cc}]/gu, encodeURIComponent)
}

function isNothing({ inv, res, pri }: Digests): boolean {
  return inv === '' && res === '' && pri === ''
}

async function hashOfParts(parts: ReadonlyMap<string, Digests>, glue: '|' | ':'): Promise<Digests> {
  const sorted = inOrder(parts)
  const hashOf = (group: DigestGroup): Promise<string> =>
    hash(
      sorted.map(([name, texts]) => (texts[group] === '' ? '' : `${name}${glue}${texts[group]}\n`)).join(''),
    )
  const [inv, res, pri] = await Promise.all([hashOf('inv'), hashOf('res'), hashOf('pri')])
  return { inv, res, pri }
}

const encoder = new TextEncoder()

async function hash(text: string): Promise<string> {
  if (text === '') return ''
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  return Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** By the bytes of the names. UTF-8 has the order of code points, UTF-16 (that of `sort`) hasn't. */
function inOrder<Part>(parts: ReadonlyMap<string, Part>): [string, Part][] {
  return [...parts].sort(([left], [right]) => compareBytes(left, right))
}

function compareBytes(left: string, right: string): number {
  const [one, other] = [encoder.encode(left), encoder.encode(right)]
  const at = one.findIndex((byte, index) => byte !== other[index])
  return at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
}
