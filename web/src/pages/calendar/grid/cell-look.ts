import { restrictions } from '../../../../../src/ari/restrictions.ts'
import type { Density } from './layout.ts'
import type { Cell, CellReason, Row } from './rows.ts'

/** The appearance of a cell: everything has its own letter or figure, shape and colour. */

export type Marker = { key: string; text: string; look: MarkerLook }
export const markerLooks = [
  'stop',
  'closed',
  'arrival',
  'departure',
  'stayArrival',
  'stayDeparture',
  'stayThrough',
  'advance',
  'more',
  'ownUnits',
] as const
export type MarkerLook = (typeof markerLooks)[number]

/** Pixels for markers in the narrowest cell. */
const roomFor: Readonly<Record<Density, number>> = { week: 70, fortnight: 54, month: 36 }
const between = 2
/** Width of a bold character in a wide font at the size of markers; unit figures are slightly smaller. */
const characterWidth = 7.5
const markerWidthMin = 13

/** Pixels around the text: padding and border. */
const edgesOf: Readonly<Record<MarkerLook, number>> = {
  stop: 4,
  closed: 4,
  arrival: 7,
  departure: 7,
  stayArrival: 6,
  stayDeparture: 6,
  stayThrough: 4,
  advance: 6,
  more: 4,
  ownUnits: 4,
}

function widthOf({ text, look }: Omit<Marker, 'key'>): number {
  return Math.max(markerWidthMin, edgesOf[look] + characterWidth * text.length)
}

/** Pixels next to the markers: the units of a room, or the marker for a rate's own units. */
export function unitsWidth(units: number | undefined, kind: Row['kind']): number {
  const text = String(units ?? '–')
  if (kind === 'room') return characterWidth * text.length + between
  return units === undefined ? 0 : widthOf({ text, look: 'ownUnits' }) + between
}

/** How many room-rates of a hotel can't be sold. */
export const unsoldMarker = (unsold: number): Marker => ({ key: 'unsold', text: `−${unsold}`, look: 'more' })

/** The markers that fit in a cell; the others are counted, or shown as one sign if the count is too wide. */
export function markersOf(cell: Cell, density: Density, taken = 0): Marker[] {
  const isStopped = cell.isStopped || cell.reasons.includes('stopSellRoom')
  const all: Marker[] = [
    ...(isStopped ? [{ key: 'stop', ...restrictions.stopSell.marker }] : []),
    ...(cell.partly ? [unsoldMarker(cell.partly.unsold)] : []),
    // The count of what can't be sold has those that are closed, and little room.
    ...(cell.isClosed && !cell.partly ? [{ key: 'closed', ...restrictions.closed.marker }] : []),
    ...cell.restricted.map(({ name, value }): Marker => {
      const { look, text } = restrictions[name].marker
      return { key: name, text: text.replace('{}', String(value)), look }
    }),
  ]
  const fits = (some: readonly Marker[]): boolean =>
    some.reduce((sum, marker) => sum + widthOf(marker) + between, -between) <= roomFor[density] - taken
  if (fits(all)) return all
  for (let count = all.length - 1; count > 0; count--) {
    for (const text of [`+${all.length - count}`, '+']) {
      const visible: Marker[] = [...all.slice(0, count), { key: 'more', text, look: 'more' }]
      if (fits(visible)) return visible
    }
  }
  // Not even the first one fits: cut in half it would read like another. The line above the calendar and the panel name all.
  const more: Marker = { key: 'more', text: '+', look: 'more' }
  return fits([more]) ? [more] : []
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
