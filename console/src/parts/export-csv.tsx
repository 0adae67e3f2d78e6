import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { allPages, ApiError, type AnswerTo, type ReadInput, type RouteName } from '../api.ts'
import { csvOf } from './csv.ts'

const rowsMax = 10_000
const rowsPerPage = '200'
const forgottenAfterMs = 10_000

export type CsvColumn<Row> = readonly [header: string, value: (row: Row) => string | number]

/** Exports all rows of a filtered list, not only the loaded ones, for a spreadsheet. */
export function ExportCsv<Name extends RouteName, Row>({
  list,
  input,
  rowsOf,
  columns,
  file,
}: {
  list: Name
  input: ReadInput<Name>
  rowsOf: (page: AnswerTo<Name>) => readonly Row[]
  columns: readonly CsvColumn<Row>[]
  /** Without the extension. */
  file: string
}) {
  const { t } = useTranslation()
  const [isReading, setReading] = useState(false)
  const save = async () => {
    setReading(true)
    try {
      const { rows, hasMore } = await allPages(list, input, rowsOf, { rowsPerPage, rowsMax })
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
