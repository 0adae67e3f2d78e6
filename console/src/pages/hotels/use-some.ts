import { useState } from 'react'

const atOnce = 100

/** A list that is there already, shown a part after another: a table of thousands would take a second to draw. */
export function useSome<Row>(rows: readonly Row[]): {
  rows: readonly Row[]
  hasMore: boolean
  onMore: () => void
} {
  const [count, setCount] = useState(atOnce)
  return {
    rows: rows.slice(0, count),
    hasMore: rows.length > count,
    onMore: () => setCount((before) => before + atOnce),
  }
}
