import type { AriItem, GetAriDigestAnswer, GetAriDigestBody, PushAriAnswer, SupplierCalls } from './api.ts'
import { failedItems, type FailedItem } from './ari-results.ts'
import {
  hotelDigests,
  limits,
  nameOf,
  nightLines,
  productKey,
  switches,
  type DigestGroup,
  type ProductName,
  type StoredNight,
} from './digest.ts'

export type ReconcileOptions = {
  hotelId: string
  /** The nights that are compared, both included; at most 800. */
  from: string
  to: string
  /** All that you have stored of these nights; others are ignored. */
  nights: readonly StoredNight[]
  /** Decimals of the hotel's currency: 2 for USD, 0 for JPY. */
  minorDigits: number
  /** Only these; bookings change `inv`. */
  groups?: DigestGroup[]
  /** false: finds the differences and pushes nothing. */
  push?: boolean
}

export type Reconciled = {
  /** Nights of a room or room-rate that differed. */
  differed: (ProductName & { date: string })[]
  /** Items of the pushes that were refused. */
  failed: FailedItem[]
  /** Calls of getAriDigest. */
  calls: number
}

type Calls = Pick<SupplierCalls, 'getAriDigest' | 'pushAri'>
type Entry = {
  roomId?: string
  rateId?: string
  month?: string
  date?: string
  /** The platform's prices, where only the platform has anything. */
  pri?: string
  /** The platform's lines, where both have something. */
  ours?: { pri?: string }
}
/** A night that differs, with the platform's line of prices. */
type DifferingNight = ProductName & { date: string; platformPrices: string }

/** What keys may send by default. */
const itemsAtOnce = 1_000

/**
 * Makes the platform's ARI equal to yours: compares the hotel, then its months if the hotel differs, then the
 * days of those months that differ, and pushes these days. The platform's past nights are left alone.
 */
export async function reconcile(gateway: Calls, options: ReconcileOptions): Promise<Reconciled> {
  const { hotelId, to, groups } = options
  let calls = 0
  const ask = async (
    body: Pick<GetAriDigestBody, 'from' | 'level' | 'known' | 'within'>,
  ): Promise<GetAriDigestAnswer & { entries: Entry[] }> => {
    const entries: Entry[] = []
    let cursor: string | undefined
    for (;;) {
      calls++
      const answer = await gateway.getAriDigest({
        hotelId,
        to,
        ...(groups ? { groups } : {}),
        ...body,
        ...(cursor === undefined ? {} : { cursor }),
      })
      entries.push(...(answer.differs ?? []), ...(answer.onlyHere ?? []), ...(answer.onlyThere ?? []))
      if (typeof answer.nextCursor !== 'string') return { ...answer, entries }
      cursor = answer.nextCursor
    }
  }
  const { hotel, effectiveFrom: from } = await ask({ from: options.from, level: 'hotel' })
  const nights = options.nights.filter(({ date }) => date >= from && date <= to)
  const ours = await hotelDigests(nights)
  const compared: readonly DigestGroup[] = groups ?? ['inv', 'res', 'pri']
  if (compared.every((group) => (hotel[group] ?? '') === ours.hotel[group]))
    return { differed: [], failed: [], calls }
  const { entries: months } = await ask({ from, level: 'month', known: ours.months })
  const differing = await differingDays(ask, from, nights, months)
  const failed = options.push === false ? [] : await pushNights(gateway, options, nights, differing)
  return { differed: differing.map((night) => ({ ...nameOf(night), date: night.date })), failed, calls }
}

type Ask = (
  body: Pick<GetAriDigestBody, 'from' | 'level' | 'known' | 'within'>,
) => Promise<{ entries: Entry[] }>

async function differingDays(
  ask: Ask,
  from: string,
  nights: readonly StoredNight[],
  months: readonly Entry[],
): Promise<DifferingNight[]> {
  const within = months.flatMap(({ roomId, rateId, month }) =>
    roomId === undefined || month === undefined ? [] : [{ ...nameOf({ roomId, ...rate(rateId) }), month }],
  )
  if (within.length === 0) return []
  const requested = new Set(within.map((one) => `${productKey(one)}\n${one.month}`))
  const known = nights
    .filter((night) => requested.has(`${productKey(night)}\n${night.date.slice(0, 7)}`))
    .map((night) => ({ ...nameOf(night), date: night.date, ...nightLines(night) }))
  const { entries } = await ask({ from, level: 'day', known, within })
  return entries.flatMap(({ roomId, rateId, date, pri, ours }) =>
    roomId === undefined || date === undefined
      ? []
      : [{ roomId, ...rate(rateId), date, platformPrices: ours?.pri ?? pri ?? '' }],
  )
}

function rate(rateId: string | undefined): { rateId?: string } {
  return rateId === undefined ? {} : { rateId }
}

/** Pushes nights as they are stored here; what isn't set here is cleared there. */
async function pushNights(
  gateway: Calls,
  { hotelId, minorDigits, groups = ['inv', 'res', 'pri'] }: ReconcileOptions,
  nights: readonly StoredNight[],
  differing: readonly DifferingNight[],
): Promise<FailedItem[]> {
  const nameText = (night: ProductName & { date: string }): string => `${productKey(night)}\n${night.date}`
  const nightByName = new Map(nights.map((night) => [nameText(night), night]))
  const ari = itemsOf(
    differing.map((night) => ({ ...(nightByName.get(nameText(night)) ?? night), ...night })),
    minorDigits,
    groups,
  )
  const failed: FailedItem[] = []
  for (let start = 0; start < ari.length; start += itemsAtOnce) {
    const body = { hotelId, ari: ari.slice(start, start + itemsAtOnce) }
    const answer: PushAriAnswer = await gateway.pushAri(body)
    failed.push(...failedItems(body, answer))
  }
  return failed
}

/** The letters of prices. */
const categories = { a: 'adult', c: 'child', i: 'infant' } as const

type NightToPush = StoredNight & Pick<DifferingNight, 'platformPrices'>

/** The same items for equal nights that follow each other. */
function itemsOf(
  nights: readonly NightToPush[],
  minorDigits: number,
  groups: readonly DigestGroup[],
): AriItem[] {
  const ranges: { items: AriItem[]; text: string; startDate: string; endDate: string }[] = []
  for (const night of [...nights].sort(byNameAndDate)) {
    const items = itemsOfNight(night, minorDigits, groups)
    const text = JSON.stringify(items)
    const last = ranges.at(-1)
    if (last?.text === text && dayAfter(last.endDate) === night.date) last.endDate = night.date
    else ranges.push({ items, text, startDate: night.date, endDate: night.date })
  }
  return ranges.flatMap(({ items, startDate, endDate }) =>
    items.map((item) => ({ ...item, startDate, endDate })),
  )
}

function byNameAndDate(left: StoredNight, right: StoredNight): number {
  const [one, other] = [left, right].map((night) => `${productKey(night)}\n${night.date}`)
  return (one ?? '') < (other ?? '') ? -1 : 1
}

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
}

function itemsOfNight(night: NightToPush, minorDigits: number, groups: readonly DigestGroup[]): AriItem[] {
  const { roomId, rateId, prices = {}, platformPrices } = night
  const inventory = groups.includes('inv') ? { inventory: night.inventory ?? null } : {}
  if (rateId === undefined)
    return [{ roomId, ...inventory, ...(groups.includes('res') ? { closed: night.closed ?? false } : {}) }]
  const rules = groups.includes('res')
    ? {
        ...Object.fromEntries(switches.map((name) => [name, night[name] ?? false])),
        ...Object.fromEntries(limits.map((name) => [name, night[name] ?? null])),
      }
    : {}
  const lines = groups.includes('pri') ? priceLines(prices, minorDigits, platformPrices) : {}
  const line: AriItem = { roomId, rates: [{ rateId, ...inventory, ...rules, ...lines }] }
  // A price line sets its own price alone, so prices that only the platform has are cleared first.
  const isCleared =
    groups.includes('pri') && Object.keys(prices).length > 0 && hasOthers(platformPrices, prices)
  return isCleared ? [{ roomId, rates: [{ rateId, ...noPrices(platformPrices) }] }, line] : [line]
}

function noPrices(platformPrices: string) {
  return {
    pricingModel: platformPrices.startsWith('unit') ? ('unit' as const) : ('guest' as const),
    prices: null,
  }
}

/** `platformPrices`: as in `guest|a1=9000,a2=11000`. */
function hasOthers(platformPrices: string, prices: Readonly<Record<string, number>>): boolean {
  const [, list = ''] = platformPrices.split('|')
  return list.split(',').some((text) => text !== '' && prices[text.split('=')[0] ?? ''] === undefined)
}

function priceLines(
  prices: Readonly<Record<string, number>>,
  minorDigits: number,
  platformPrices: string,
): Pick<NonNullable<AriItem['rates']>[number], 'prices' | 'pricingModel'> {
  const lines = Object.entries(prices).map(([bucket, minor]) => {
    const amount = decimal(minor, minorDigits)
    if (bucket === 'u') return { amount }
    const letter = bucket.slice(0, 1)
    if (letter !== 'a' && letter !== 'c' && letter !== 'i')
      throw new TypeError(`${bucket} is not the name of a price`)
    return { ageCategory: categories[letter], guests: Number(bucket.slice(1)), amount }
  })
  if (lines.length === 0) return noPrices(platformPrices)
  return { pricingModel: prices['u'] === undefined ? 'guest' : 'unit', prices: lines }
}

/** Exactly, as text. */
function decimal(minor: number, digits: number): string {
  if (digits === 0) return String(minor)
  const text = String(minor).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
