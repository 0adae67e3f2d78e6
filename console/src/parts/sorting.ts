import { useState } from 'react'
import { useFilter } from './filters.tsx'

/** How the header of a column orders its list. */
export type Sorting<Row> =
  /** By the service: the values of the URL's `sort` for either direction; '' is the list's usual order. */
  | { ascending: string; descending: string }
  /** Here, which is only right once every row is loaded. */
  | { by: (row: Row) => string | number | boolean | null }

export type Sorted = { direction: 'ascending' | 'descending' | 'none'; turn: () => void }

const textOrder = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compare(one: string | number | boolean | null, other: string | number | boolean | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'string' && typeof other === 'string') return textOrder.compare(one, other)
  return Number(one) - Number(other)
}

/** The rows in the chosen order, and the state of each column's header; undefined for one that can't order the list. */
export function useSorting<Row>(
  rows: readonly Row[],
  isWhole: boolean,
): {
  ordered: (by: (key: string) => Sorting<Row> | undefined) => readonly Row[]
  headerOf: (key: string, sorting: Sorting<Row> | undefined) => Sorted | undefined
} {
  const [order, setOrder] = useFilter('sort')
  const [local, setLocal] = useState<{ key: string; isDescending: boolean }>()
  return {
    ordered: (by) => {
      const sorting = local && isWhole ? by(local.key) : undefined
      if (!sorting || !('by' in sorting)) return rows
      const turned = local?.isDescending === true ? -1 : 1
      return rows.toSorted((one, other) => compare(sorting.by(one), sorting.by(other)) * turned)
    },
    headerOf: (key, sorting) => {
      if (sorting === undefined) return undefined
      if ('by' in sorting) {
        if (!isWhole) return undefined
        const isHere = local?.key === key
        const direction = !isHere ? 'none' : local.isDescending ? 'descending' : 'ascending'
        return { direction, turn: () => setLocal({ key, isDescending: direction === 'ascending' }) }
      }
      const { ascending, descending } = sorting
      const direction = order === ascending ? 'ascending' : order === descending ? 'descending' : 'none'
      return { direction, turn: () => setOrder(direction === 'ascending' ? descending : ascending) }
    },
  }
}
