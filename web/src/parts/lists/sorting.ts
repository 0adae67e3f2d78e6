import { useFilter } from './filters.tsx'

/** How the header of a column orders its list. */
export type Sorting<Row> =
  /** By the service: the values of the URL's `sort` for either direction; '' is the list's usual order. */
  | { ascending: string; descending: string }
  /** Here, for which the rows that are missing are loaded first, up to `sortedRowsMax`. */
  | { by: (row: Row) => string | number | boolean | null }

/** Of a longer list, as many of its first rows are ordered; more are ordered once they are asked for. */
export const sortedRowsMax = 500
/** A search whose last page had fewer goes on only when it is asked to: the service may look through millions for a page. */
export const sortedPageMin = 20

export type Sorted = { direction: 'ascending' | 'descending' | 'none'; turn: () => void }

const textOrder = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compare(one: string | number | boolean | null, other: string | number | boolean | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'string' && typeof other === 'string') return textOrder.compare(one, other)
  return Number(one) - Number(other)
}

/** In the URL for an order that is made here; the service's orders have no dot. */
const local = (key: string, direction: 'asc' | 'desc'): string => `${key}.${direction}`

/** The rows in the order of the URL's `sort`, and the state of a column's header; undefined for one that can't order the list. */
export function useSorting<Row>(
  rows: readonly Row[],
  columns: readonly { key: string; sorting?: Sorting<Row> }[],
): {
  ordered: readonly Row[]
  headerOf: (key: string) => Sorted | undefined
  /** Whether the order is made here, of the rows that are loaded. */
  isLocal: boolean
} {
  const [order, setOrder] = useFilter('sort')
  const headerOf = (key: string): Sorted | undefined => {
    const sorting = columns.find((column) => column.key === key)?.sorting
    if (sorting === undefined) return undefined
    const { ascending, descending } =
      'by' in sorting ? { ascending: local(key, 'asc'), descending: local(key, 'desc') } : sorting
    const direction = order === ascending ? 'ascending' : order === descending ? 'descending' : 'none'
    return { direction, turn: () => setOrder(direction === 'ascending' ? descending : ascending) }
  }
  const chosen = columns.flatMap(({ key, sorting }) => {
    const direction = headerOf(key)?.direction ?? 'none'
    return sorting && 'by' in sorting && direction !== 'none' ? [{ by: sorting.by, direction }] : []
  })[0]
  if (!chosen) return { ordered: rows, headerOf, isLocal: false }
  const turned = chosen.direction === 'descending' ? -1 : 1
  const ordered = rows.toSorted((one, other) => compare(chosen.by(one), chosen.by(other)) * turned)
  return { ordered, headerOf, isLocal: true }
}
