import { daysIn, firstDay, formatNight, type DayNumber } from '../platform/calendar.ts'
import { fromMinor } from '../platform/money.ts'
import type { Block } from './block.ts'
import { unset } from './block-codec.ts'
import type { AriItem, PriceLine, PricingModel, RateLine } from './contract.ts'
import {
  fieldNumber,
  guestBucket,
  isGuestPriceField,
  isPriceField,
  restrictionFields,
  switchFields,
} from './fields.ts'
import type { BlockKey } from './store.ts'

/** What a row (a room, or a room-rate) holds on a run of nights: field and value, by rising field. */
export type Run = {
  roomNo: number
  rateNo: number
  from: DayNumber
  to: DayNumber
  held: readonly (readonly [field: number, value: number])[]
}

export type ReadOptions = {
  from: DayNumber
  to: DayNumber
  /** Prices set at this revision or before it are of a former currency, and left out. */
  currencyRevision: number
}

/** The longest runs of nights on which a row holds the same; nights that hold nothing are left out. */
export function runsOf(
  blocks: readonly { key: BlockKey; block: Block }[],
  options: ReadOptions,
): { runs: Run[]; staleNights: number } {
  const runs: Run[] = []
  let staleNights = 0
  let open: (Run & { signature: string }) | undefined
  const close = (): void => {
    if (open)
      runs.push({ roomNo: open.roomNo, rateNo: open.rateNo, from: open.from, to: open.to, held: open.held })
    open = undefined
  }
  for (const { key, block } of blocks) {
    const columns = block
      .fields()
      .sort((left, right) => left - right)
      .map((field) => ({ field, values: block.values(field) ?? [], revisions: block.revisions(field) ?? [] }))
    const first = firstDay(key.month)
    const last = Math.min(daysIn(key.month) - 1, options.to - first)
    for (let night = Math.max(0, options.from - first); night <= last; night++) {
      const held: [number, number][] = []
      let stale = false
      for (const { field, values, revisions } of columns) {
        const value = values[night] ?? unset
        if (value === unset) continue
        if (
          options.currencyRevision > 0 &&
          isPriceField(field) &&
          (revisions[night] ?? 0) <= options.currencyRevision
        )
          stale = true
        else held.push([field, value])
      }
      if (stale) staleNights++
      const signature = held.join(';')
      const day = first + night
      if (
        open &&
        open.signature === signature &&
        open.to === day - 1 &&
        open.roomNo === key.roomNo &&
        open.rateNo === key.rateNo
      ) {
        open.to = day
        continue
      }
      close()
      if (held.length > 0)
        open = { roomNo: key.roomNo, rateNo: key.rateNo, from: day, to: day, held, signature }
    }
  }
  close()
  return { runs, staleNights }
}

export type Names = {
  roomCode: (roomNo: number) => string
  rateCode: (rateNo: number) => string
  minorDigits: number
}

/**
 * Runs as items of a push: rows of a room that have the same nights share an item. The push's pricing model is that of
 * most rate lines; a line of the other states its own.
 */
export function itemsOf(
  runs: readonly Run[],
  names: Names,
): { pricingModel: PricingModel | undefined; ari: AriItem[] } {
  const pricingModel = commonModel(runs)
  const items = new Map<string, AriItem>()
  for (const run of runs) {
    const roomId = names.roomCode(run.roomNo)
    const text = `${run.roomNo}/${run.from}/${run.to}`
    const item = items.get(text) ?? { roomId, startDate: formatNight(run.from), endDate: formatNight(run.to) }
    items.set(text, item)
    if (run.rateNo === 0) Object.assign(item, plainMembers(run))
    else item.rates = [...(item.rates ?? []), rateLine(run, names, pricingModel)]
  }
  const ari = [...items.values()].sort(
    (left, right) =>
      compare(left.roomId, right.roomId) || compare(left.startDate ?? '', right.startDate ?? ''),
  )
  return { pricingModel, ari }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function modelOf(run: Run): PricingModel | undefined {
  if (run.held.some(([field]) => field === fieldNumber.unitPrice)) return 'unit'
  return run.held.some(([field]) => isGuestPriceField(field)) ? 'guest' : undefined
}

function commonModel(runs: readonly Run[]): PricingModel | undefined {
  const models = runs.map(modelOf)
  const unit = models.filter((model) => model === 'unit').length
  const guest = models.filter((model) => model === 'guest').length
  return unit + guest === 0 ? undefined : unit > guest ? 'unit' : 'guest'
}

function plainMembers({ held }: Run): Partial<RateLine> {
  const values = new Map(held)
  const members: Partial<RateLine> = {}
  const inventory = values.get(fieldNumber.inventory)
  if (inventory !== undefined) members.inventory = inventory
  for (const field of switchFields) if (values.has(fieldNumber[field])) members[field] = true
  for (const field of restrictionFields) {
    const value = values.get(fieldNumber[field])
    if (value !== undefined) members[field] = value
  }
  return members
}

function rateLine(run: Run, names: Names, common: PricingModel | undefined): RateLine {
  const model = modelOf(run)
  const prices: PriceLine[] = []
  for (const [field, value] of run.held) {
    if (!isPriceField(field)) continue
    const amount = fromMinor(value, names.minorDigits)
    prices.push(isGuestPriceField(field) ? { ...guestBucket(field), amount } : { amount })
  }
  return {
    rateId: names.rateCode(run.rateNo),
    ...(model !== undefined && model !== common ? { pricingModel: model } : {}),
    ...plainMembers(run),
    ...(prices.length > 0 ? { prices } : {}),
  }
}
