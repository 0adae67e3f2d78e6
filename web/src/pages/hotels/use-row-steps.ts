import { useState } from 'react'

const atOnce = 100

/** Shows a loaded list in steps: a table of thousands of rows would take a second to draw. */
export function useRowSteps<Row>(rows: readonly Row[]): {
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
