import { useState } from 'react'
import { useFilter } from './filters.tsx'

/** How the header of a column orders its list. */
export type Sorting<Row> =
  /** By the service: the values of the URL's `sort` for either direction; '' is the list's usual order. */
  | { ascending: string; descending: string }
  /** Here, for which the rows that are missing are loaded first, up to `sortedRowsMax`. */
  | { by: (row: Row) => string | number | boolean | null }

/** Of a longer list, as many of its first rows are ordered; more are ordered once they are asked for. */
export const sortedRowsMax = 500

export type Sorted = { direction: 'ascending' | 'descending' | 'none'; turn: () => void }

const textOrder = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compare(one: string | number | boolean | null, other: string | number | boolean | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'string' && typeof other === 'string') return textOrder.compare(one, other)
  return Number(one) - Number(other)
}

/** The rows in the chosen order, and the state of each column's header; undefined for one that can't order the list. */
export function useSorting<Row>(rows: readonly Row[]): {
  ordered: (by: (key: string) => Sorting<Row> | undefined) => readonly Row[]
  headerOf: (key: string, sorting: Sorting<Row> | undefined) => Sorted | undefined
  /** Whether the order is made here, of the rows that are loaded. */
  isLocal: boolean
} {
  const [order, setOrder] = useFilter('sort')
  const [local, setLocal] = useState<{ key: string; isDescending: boolean }>()
  return {
    isLocal: local !== undefined,
    ordered: (by) => {
      const sorting = local && by(local.key)
      if (!sorting || !('by' in sorting)) return rows
      const turned = local.isDescending ? -1 : 1
      return rows.toSorted((one, other) => compare(sorting.by(one), sorting.by(other)) * turned)
    },
    headerOf: (key, sorting) => {
      if (sorting === undefined) return undefined
      if ('by' in sorting) {
        const isHere = local?.key === key
        const direction = !isHere ? 'none' : local.isDescending ? 'descending' : 'ascending'
        return { direction, turn: () => setLocal({ key, isDescending: direction === 'ascending' }) }
      }
      const { ascending, descending } = sorting
      const direction = local
        ? 'none'
        : order === ascending
          ? 'ascending'
          : order === descending
            ? 'descending'
            : 'none'
      const turn = (): void => {
        setLocal(undefined)
        setOrder(direction === 'ascending' ? descending : ascending)
      }
      return { direction, turn }
    },
  }
}
