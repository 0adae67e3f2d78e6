import { Table, Text, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import classes from './overview.module.css'

export type PanelColumn<Row> = { header: string; cell: (row: Row) => ReactNode; align?: 'right' }

/** A section of the overview with its own title, and actions at the right. */
export function Panel({
  title,
  note,
  action,
  children,
}: {
  title: string
  note?: string
  action?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes['panel']}>
      <header className={classes['panelHead']}>
        <Title order={2} size="sm" id={id}>
          {title}
        </Title>
        {action}
      </header>
      {note !== undefined && (
        <Text size="xs" c="dimmed" px="sm" pb={6}>
          {note}
        </Text>
      )}
      {children}
    </section>
  )
}

/** A short list of the worst cases; the linked page has all. */
export function ShortList<Row>({
  label,
  rows,
  rowKey,
  columns,
  empty,
}: {
  label: string
  rows: readonly Row[]
  rowKey: (row: Row) => string | number
  columns: readonly PanelColumn<Row>[]
  empty: string
}) {
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed" px="sm" pb="sm">
        {empty}
      </Text>
    )
  }
  return (
    <div className={classes['scroll']}>
      <Table aria-label={label} className={classes['list']}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ header, align }) => (
              <Table.Th key={header} scope="col" ta={align ?? 'left'}>
                {header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(({ header, cell, align }) => (
                <Table.Td key={header} ta={align ?? 'left'} data-label={header}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** A name with its owner below, in small text. */
export function NameOf({ children, of }: { children: ReactNode; of: string }) {
  return (
    <span className={classes['name']}>
      {children}
      <span className={classes['of']}>{of}</span>
    </span>
  )
}
