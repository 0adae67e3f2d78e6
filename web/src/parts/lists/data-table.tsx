import { Button, Skeleton, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Pages } from '../../api.ts'
import { ErrorNote } from '../error-note.tsx'
import classes from '../parts.module.css'
import { type Sorted, sortedPageMin, sortedRowsMax, type Sorting, useSorting } from './sorting.ts'

export type Column<Row> = {
  key: string
  header: string
  /** Only for screen readers. */
  isHeaderHidden?: boolean
  cell: (row: Row) => ReactNode
  /** Figures are aligned right. */
  align?: 'left' | 'right'
  width?: number | string
  sorting?: Sorting<Row>
  /** Below the column: the sum of all rows that are shown. */
  total?: (rows: readonly Row[]) => ReactNode
}

const waitingRows = 8

/**
 * A list as a table, on a phone as a card for each row. The first column links a row to its page; arrow keys move from row
 * to row.
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  isPending = false,
  error,
  onRetry,
  empty,
  hasMore = false,
  lastPageRows = 0,
  isLoadingMore = false,
  onMore,
}: {
  /** Describes the table to screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  isPending?: boolean
  error?: unknown
  onRetry?: () => void
  /** For an empty table: the reason, and what to do next. */
  empty: { title: string; hint?: ReactNode; action?: ReactNode }
  hasMore?: boolean
  /** How many rows the last page brought. */
  lastPageRows?: number
  isLoadingMore?: boolean
  onMore?: () => void
}) {
  const { t } = useTranslation()
  const { ordered, headerOf, isLocal } = useSorting(rows, columns)
  const isLoadingToSort =
    isLocal && hasMore && rows.length < sortedRowsMax && lastPageRows >= sortedPageMin && !error
  useEffect(() => {
    if (isLoadingToSort && !isLoadingMore) onMore?.()
  }, [isLoadingToSort, isLoadingMore, onMore])
  if (error !== undefined && error !== null) return <ErrorNote error={error} onRetry={onRetry} />
  if (!isPending && rows.length === 0) return <EmptyState {...empty} />
  return (
    <>
      <Table.ScrollContainer
        minWidth={0}
        type="native"
        className={classes['scroll']}
        // A wide table scrolls sideways by arrow keys, whether or not its rows have links.
        tabIndex={0}
        // Not a region: as a landmark it would often repeat the name of its section.
        role="group"
        aria-label={caption}
      >
        <Table className={classes['table']} aria-busy={isPending} onKeyDown={goByArrows} aria-label={caption}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Header key={column.key} column={column} sorted={headerOf(column.key)} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending
              ? Array.from({ length: waitingRows }, (_, row) => <WaitingRow key={row} columns={columns} />)
              : ordered.map((row) => (
                  <Table.Tr key={rowKey(row)}>
                    {columns.map(({ key, header, isHeaderHidden = false, cell, align }) => (
                      <Table.Td
                        key={key}
                        ta={align ?? 'left'}
                        data-align={align}
                        data-label={isHeaderHidden ? '' : header}
                      >
                        {cell(row)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
          </Table.Tbody>
          {!isPending && rows.length > 1 && columns.some(({ total }) => total) && (
            <Totals columns={columns} rows={rows} label={t(hasMore ? 'parts.totalSoFar' : 'parts.total')} />
          )}
        </Table>
      </Table.ScrollContainer>
      {!isPending && (
        <Text size="xs" c="dimmed" mt={4} className={classes['count']}>
          {t(hasMore ? (isLocal ? 'parts.sortedSoFar' : 'parts.shownSoFar') : 'parts.shownAll', {
            count: rows.length,
          })}
        </Text>
      )}
      {hasMore && (
        <Button mt="xs" variant="default" loading={isLoadingMore} onClick={onMore}>
          {t('parts.more')}
        </Button>
      )}
    </>
  )
}

/** The result of `usePages` as props of a DataTable. */
export function tableOf<Row>(pages: Pages<Row>) {
  return {
    rows: pages.rows,
    isPending: pages.isPending,
    error: pages.error,
    onRetry: pages.again,
    hasMore: pages.hasMore,
    lastPageRows: pages.lastPageRows,
    isLoadingMore: pages.isLoadingMore,
    onMore: pages.more,
  }
}

function Header<Row>({
  column: { header, isHeaderHidden = false, align, width },
  sorted,
}: {
  column: Column<Row>
  sorted: Sorted | undefined
}) {
  const Icon = sorted && iconByDirection[sorted.direction]
  return (
    <Table.Th
      scope="col"
      ta={align ?? 'left'}
      {...(sorted ? { 'aria-sort': sorted.direction } : {})}
      {...(width === undefined ? {} : { w: width })}
    >
      {isHeaderHidden ? (
        <VisuallyHidden>{header}</VisuallyHidden>
      ) : sorted && Icon ? (
        <UnstyledButton className={classes['sort']} onClick={sorted.turn}>
          {header}
          <Icon size={10} aria-hidden />
        </UnstyledButton>
      ) : (
        header
      )}
    </Table.Th>
  )
}

function Totals<Row>({
  columns,
  rows,
  label,
}: {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  label: string
}) {
  return (
    <Table.Tfoot>
      <Table.Tr>
        {columns.map(({ key, header, total, align }, place) => (
          <Table.Td
            key={key}
            ta={align ?? 'left'}
            data-align={align}
            data-label={place === 0 ? '' : header}
            data-is-empty={place > 0 && !total}
          >
            {place === 0 ? label : total?.(rows)}
          </Table.Td>
        ))}
      </Table.Tr>
    </Table.Tfoot>
  )
}

const iconByDirection = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown } as const

function WaitingRow({ columns }: { columns: readonly { key: string }[] }) {
  return (
    <Table.Tr>
      {columns.map(({ key }) => (
        <Table.Td key={key}>
          <Skeleton height={12} my={3} />
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

/** Shown instead of an empty list. */
export function EmptyState({ title, hint, action }: { title: string; hint?: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes['nothing']}>
      <Text fw={500}>{title}</Text>
      {hint !== undefined && (
        <Text size="sm" c="dimmed" component="div">
          {hint}
        </Text>
      )}
      {action !== undefined && <div className={classes['action']}>{action}</div>}
    </div>
  )
}

/** Down and up move to the first link or button of the next row. */
function goByArrows(event: KeyboardEvent<HTMLTableElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || !(event.target instanceof HTMLElement)) return
  if (event.target.matches('input, select, textarea')) return
  const places = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody tr')].flatMap((row) => {
    const place = row.querySelector<HTMLElement>('a, button')
    return place ? [{ row, place }] : []
  })
  const at = places.findIndex(({ row }) => row.contains(event.target instanceof Node ? event.target : null))
  const next = places[at + step]
  if (at < 0 || !next) return
  event.preventDefault()
  next.place.focus()
}
