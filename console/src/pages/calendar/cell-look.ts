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

/** Pixels that markers have of a cell where nights are narrowest. */
const roomFor: Readonly<Record<Density, number>> = { week: 70, fortnight: 50, month: 36 }
const between = 2

/** In pixels; a little more than is drawn. */
function widthOf({ text, look }: Omit<Marker, 'key'>): number {
  return (look === 'advance' ? 9 : 7) + 6 * text.length
}

/** What a cell has room for; the others are counted, or where that is too wide, there is a sign that there are some. */
export function markersOf(cell: Cell, density: Density): Marker[] {
  const all: Marker[] = [
    ...(cell.isStopped ? [{ key: 'stop', text: 'S', look: 'stop' } as const] : []),
    ...(cell.isClosed ? [{ key: 'closed', text: '✕', look: 'closed' } as const] : []),
    ...cell.restricted.map(({ name, value }): Marker => {
      const { look, text } = restrictionLook[name]
      return { key: name, text: text(value), look }
    }),
  ]
  const fits = (some: readonly Marker[]): boolean =>
    some.reduce((sum, marker) => sum + widthOf(marker) + between, -between) <= roomFor[density]
  if (fits(all)) return all
  for (let count = all.length - 1; count > 0; count--) {
    for (const text of [`+${all.length - count}`, '+']) {
      const shown: Marker[] = [...all.slice(0, count), { key: 'more', text, look: 'more' }]
      if (fits(shown)) return shown
    }
  }
  return all.slice(0, 1)
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
  unpushed: 'missing',
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
