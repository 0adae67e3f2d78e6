import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { allPages, ApiError, type AnswerTo, type ReadInput, type RouteName } from '../../api.ts'
import { csvOf } from './csv.ts'

const rowsMax = 10_000
/** Every list gives at least so many at once. */
const rowsPerPage = '100'
const forgottenAfterMs = 10_000

export type CsvColumn<Row> = readonly [header: string, value: (row: Row) => string | number]

type File<Row> = {
  columns: readonly CsvColumn<Row>[]
  /** Without the extension. */
  file: string
}

/** Exports all rows of a filtered list, not only the loaded ones, for a spreadsheet. */
export function ExportCsv<Name extends RouteName, Row>({
  list,
  input,
  rowsOf,
  ...file
}: File<Row> & {
  list: Name
  input: ReadInput<Name>
  rowsOf: (page: AnswerTo<Name>) => readonly Row[]
}) {
  return <Export read={() => allPages(list, input, rowsOf, { rowsPerPage, rowsMax })} {...file} />
}

/** Exports a list that has no pages. */
export function ExportRows<Row>({ rows, ...file }: File<Row> & { rows: readonly Row[] }) {
  return <Export read={() => ({ rows, hasMore: false })} {...file} />
}

type Read<Row> = { rows: readonly Row[]; hasMore: boolean }

function Export<Row>({ read, columns, file }: File<Row> & { read: () => Read<Row> | Promise<Read<Row>> }) {
  const { t } = useTranslation()
  const [isReading, setReading] = useState(false)
  const save = async () => {
    setReading(true)
    try {
      const { rows, hasMore } = await read()
      const header = columns.map(([name]) => name)
      download(`${file}.csv`, csvOf([header, ...rows.map((row) => columns.map(([, value]) => value(row)))]))
      if (hasMore)
        notifications.show({ color: 'yellow', message: t('parts.exportedPart', { count: rows.length }) })
    } catch (error) {
      const requestId = error instanceof ApiError ? error.requestId : undefined
      const message = requestId === undefined ? undefined : `${t('parts.requestId')} ${requestId}`
      notifications.show({ color: 'red', title: t('parts.failed'), message })
    } finally {
      setReading(false)
    }
  }
  return (
    <Button
      variant="default"
      loading={isReading}
      leftSection={<Download size={16} aria-hidden />}
      onClick={() => void save()}
    >
      {t('parts.export')}
    </Button>
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // Some browsers read it only after the click.
  setTimeout(() => URL.revokeObjectURL(url), forgottenAfterMs)
}
