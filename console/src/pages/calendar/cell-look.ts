import type { CalendarRestriction } from '../../../../src/console/calendar-contract.ts'
import type { Density } from './layout.ts'
import type { Cell, CellReason } from './rows.ts'

/** How a cell looks: each thing has a letter or a figure, a shape and a colour of its own. */

export type Marker = { key: string; text: string; look: MarkerLook }
export const markerLooks = [
  'stop',
  'closed',
  'arrival',
  'departure',
  'stayArrival',
  'stayThrough',
  'advance',
  'more',
  'ownUnits',
] as const
export type MarkerLook = (typeof markerLooks)[number]

const restrictionLook: Readonly<
  Record<CalendarRestriction, { look: MarkerLook; text: (value: number) => string }>
> = {
  closedToArrival: { look: 'arrival', text: () => 'A' },
  closedToDeparture: { look: 'departure', text: () => 'D' },
  minStayArrival: { look: 'stayArrival', text: (value) => `≥${value}` },
  maxStayArrival: { look: 'stayArrival', text: (value) => `≤${value}` },
  minLengthStay: { look: 'stayThrough', text: (value) => `≥${value}` },
  maxLengthStay: { look: 'stayThrough', text: (value) => `≤${value}` },
  minAdvanceDays: { look: 'advance', text: (value) => `≥${value}d` },
  maxAdvanceDays: { look: 'advance', text: (value) => `≤${value}d` },
}

/** A cell has room for so many; the others are counted. */
const markersMax: Readonly<Record<Density, number>> = { week: 5, fortnight: 3, month: 2 }

export function markersOf(cell: Cell, density: Density): Marker[] {
  const all: Marker[] = [
    ...(cell.isStopped ? [{ key: 'stop', text: 'S', look: 'stop' } as const] : []),
    ...(cell.isClosed ? [{ key: 'closed', text: '✕', look: 'closed' } as const] : []),
    ...cell.restricted.map(({ name, value }): Marker => {
      const { look, text } = restrictionLook[name]
      return { key: name, text: text(value), look }
    }),
  ]
  const most = markersMax[density]
  if (all.length <= most) return all
  const shown = all.slice(0, most - 1)
  return [...shown, { key: 'more', text: `+${all.length - shown.length}`, look: 'more' }]
}

export const cellLooks = ['open', 'past', 'stopped', 'shut', 'soldOut', 'missing'] as const
export type CellLook = (typeof cellLooks)[number]

const lookByReason: Readonly<Record<CellReason, CellLook>> = {
  stopSellRoom: 'stopped',
  stopSellRate: 'stopped',
  hotel: 'shut',
  product: 'shut',
  closedRoom: 'shut',
  closedRate: 'shut',
  inventory: 'soldOut',
  formerCurrency: 'missing',
  price: 'missing',
  party: 'missing',
  past: 'past',
}

export function lookOf({ reasons }: Cell): CellLook {
  if (reasons.includes('past')) return 'past'
  const [first] = reasons
  return first === undefined ? 'open' : lookByReason[first]
}
