import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Numbers, NumbersBy, NumbersRow } from '../../../../src/console-api/numbers/contract.ts'
import { useApi } from '../../api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type CsvColumn, ExportRows } from '../../parts/lists/export-csv.tsx'
import { Filters, SupplierFilter, useFilter, ViewLinks } from '../../parts/lists/filters.tsx'
import { ButtonTo, LinkTo } from '../../parts/link-to.tsx'
import { Count, Money, MoneyTotals } from '../../parts/values/numbers.tsx'
import { Page } from '../../parts/page.tsx'
import { monthText } from '../../parts/values/time.tsx'
import { daysOf, MonthField } from './month-field.tsx'

const views = ['booked', 'arrival'] as const satisfies readonly NumbersBy[]
const filterNames = ['month', 'supplierId'] as const

/** The reservations of a month, counted. */
export function NumbersPage() {
  const { t } = useTranslation()
  const [chosen] = useFilter('month')
  const [supplierId] = useFilter('supplierId')
  const [sent] = useFilter('by')
  const by = views.find((one) => one === sent) ?? 'booked'
  const found = useApi('getNumbers', { query: { month: chosen, by, supplierId } })
  const numbers = found.data?.numbers
  const month = numbers?.month ?? chosen
  const rows = numbers?.rows ?? []
  return (
    <Page
      title={t('numbers.title')}
      // On a phone the month is behind a button.
      beside={numbers && <Text c="dimmed">{monthText(numbers.month)}</Text>}
      intro={t('numbers.intro')}
      actions={<ExportRows rows={rows} columns={useCsvColumns(month, by)} file={`numbers-${month}-${by}`} />}
    >
      <ViewLinks
        name="by"
        label={t('numbers.views')}
        views={views.map((value) => ({ value, label: t(`numbers.by.${value}`) }))}
        current={by}
      />
      <Filters names={filterNames}>
        <MonthField month={month} />
        <SupplierFilter label={t('numbers.filter.supplier')} />
      </Filters>
      <DataTable
        caption={t('numbers.title')}
        columns={useColumns(month, by)}
        rows={rows}
        rowKey={({ supplierId: id, currency }) => `${id} ${currency}`}
        isPending={found.isPending}
        error={found.error}
        onRetry={() => void found.refetch()}
        empty={useEmpty(numbers)}
      />
      {numbers?.hasMore && (
        <Text size="sm" mt="xs">
          {t('numbers.cut', { count: rows.length })}
        </Text>
      )}
    </Page>
  )
}

function useEmpty(numbers: Numbers | undefined): { title: string; hint?: string; action?: ReactNode } {
  const { t } = useTranslation()
  if (!numbers) return { title: '' }
  const { month, by, firstMonth } = numbers
  const title = t(`numbers.empty.${by}`, { month: monthText(month) })
  if (firstMonth === null) return { title, hint: t('numbers.empty.none') }
  const first = monthText(firstMonth)
  return {
    title,
    hint: t(`numbers.empty.hint.${by}`, { month: first }),
    action: (
      <ButtonTo
        to="."
        search={(before: Readonly<Record<string, string | undefined>>) => ({ ...before, month: firstMonth })}
        variant="default"
      >
        {t('numbers.empty.toFirst', { month: first })}
      </ButtonTo>
    ),
  }
}

function useCsvColumns(month: string, by: NumbersBy): CsvColumn<NumbersRow>[] {
  const { t } = useTranslation()
  return [
    [t('numbers.csv.month'), () => month],
    [t('numbers.csv.by'), () => t(`numbers.by.${by}`)],
    [t('numbers.column.supplier'), ({ supplier }) => supplier],
    [t('numbers.column.currency'), ({ currency }) => currency],
    [t('numbers.column.bookings'), ({ bookings }) => bookings],
    [t('numbers.column.cancelled'), ({ cancelled }) => cancelled],
    [t('numbers.column.roomNights'), ({ roomNights }) => roomNights],
    [t('numbers.column.value'), ({ afterTax }) => afterTax],
  ]
}

const counted = ['bookings', 'cancelled', 'roomNights'] as const

function useColumns(month: string, by: NumbersBy): Column<NumbersRow>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'supplier',
      sorting: { by: ({ supplier }) => supplier },
      header: t('numbers.column.supplier'),
      cell: ({ supplierId, supplier }) => (
        <LinkTo fz="sm" to="/reservations" search={reservationsOf(supplierId, month, by)}>
          {supplier}
        </LinkTo>
      ),
    },
    {
      key: 'currency',
      sorting: { by: ({ currency }) => currency },
      header: t('numbers.column.currency'),
      cell: ({ currency }) => currency,
      total: (rows) => inEachCurrency(rows, (_, currency) => currency),
    },
    ...counted.map((key): Column<NumbersRow> => ({
      key,
      sorting: { by: (row) => row[key] },
      header: t(`numbers.column.${key}`),
      align: 'right',
      cell: (row) => <Count n={row[key]} />,
      total: (rows) =>
        inEachCurrency(rows, (own) => <Count n={own.reduce((sum, row) => sum + row[key], 0)} />),
    })),
    {
      key: 'value',
      sorting: { by: ({ currency, afterTax }) => `${currency} ${afterTax}` },
      header: t('numbers.column.value'),
      align: 'right',
      cell: ({ afterTax, currency }) => <Money amount={afterTax} currency={currency} />,
      total: (rows) => (
        <MoneyTotals of={rows.map(({ afterTax, currency }) => ({ amount: afterTax, currency }))} />
      ),
    },
  ]
}

/** A line each, in the order of `MoneyTotals`. */
function inEachCurrency(
  rows: readonly NumbersRow[],
  line: (own: readonly NumbersRow[], currency: string) => ReactNode,
): ReactNode {
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, own]) => <div key={currency}>{line(own, currency)}</div>)
}

/** The filters of the list that has the same reservations. */
function reservationsOf(supplierId: number, month: string, by: NumbersBy): Record<string, string> {
  const { first, last } = daysOf(month)
  const range =
    by === 'booked' ? { createdSince: first, createdUntil: last } : { arrivalFrom: first, arrivalTo: last }
  return { supplierId: String(supplierId), ...range }
}
