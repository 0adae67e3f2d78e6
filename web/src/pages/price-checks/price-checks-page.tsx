import { Button, Stack, Table, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ConsoleCheck } from '../../../../src/console-api/price-checks/contract.ts'
import { usePages } from '../../api.ts'
import { sumOf } from '../../parts/values/amounts.ts'
import { type Column, DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { type CsvColumn, ExportCsv } from '../../parts/lists/export-csv.tsx'
import {
  DateFilter,
  Filters,
  HotelFilter,
  SelectFilter,
  SupplierFilter,
  useFilter,
} from '../../parts/lists/filters.tsx'
import { HotelCell } from '../../parts/link-to.tsx'
import { Money } from '../../parts/values/numbers.tsx'
import { Day, Time } from '../../parts/values/time.tsx'
import { priceChecks } from '../../text/en/price-checks.ts'
import {
  DifferenceText,
  nightsOf,
  OutcomeBadge,
  SumOfNights,
  TermsText,
  useTermsWords,
} from './check-look.tsx'
import { DriftView } from './drift-view.tsx'
import { LatencyView } from './latency-view.tsx'
import { ViewFrame, viewNames } from './view-frame.tsx'

const viewByName = { checks: ChecksView, latency: LatencyView, drift: DriftView } as const

export function PriceChecksPage() {
  const [requested] = useFilter('view')
  const view = viewNames.find((name) => name === requested) ?? 'checks'
  const View = viewByName[view]
  return <View />
}

const names = ['supplierId', 'hotelId', 'outcome', 'since'] as const
const isOutcome = (name: string): name is keyof typeof priceChecks.outcome =>
  Object.hasOwn(priceChecks.outcome, name)
const outcomes = Object.keys(priceChecks.outcome).filter(isOutcome)

/** Every check, newest first, with stored and live price side by side. */
function ChecksView() {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const query = Object.fromEntries(names.map((name) => [name, search[name]]))
  const pages = usePages('searchPriceChecks', { query }, (page) => page.priceChecks)
  const isFiltered = names.some((name) => (search[name] ?? '') !== '')
  return (
    <ViewFrame
      view="checks"
      actions={
        <ExportCsv
          list="searchPriceChecks"
          input={{ query }}
          rowsOf={(page) => page.priceChecks}
          columns={useCsvColumns()}
          file="price-checks"
        />
      }
    >
      <Filters names={names}>
        <SupplierFilter label={t('priceChecks.filter.supplier')} />
        <HotelFilter label={t('priceChecks.filter.hotel')} />
        <SelectFilter
          name="outcome"
          label={t('priceChecks.filter.outcome')}
          options={outcomes.map((value) => ({ value, label: t(`priceChecks.outcome.${value}`) }))}
        />
        <DateFilter name="since" label={t('priceChecks.filter.since')} />
      </Filters>
      <DataTable
        caption={t('priceChecks.title')}
        columns={useColumns()}
        rowKey={({ priceCheckId }) => priceCheckId}
        {...tableOf(pages)}
        empty={
          isFiltered
            ? { title: t('priceChecks.empty.title'), hint: t('priceChecks.empty.hint') }
            : { title: t('priceChecks.empty.none'), hint: t('priceChecks.empty.noneHint') }
        }
      />
    </ViewFrame>
  )
}

function useCsvColumns(): CsvColumn<ConsoleCheck>[] {
  const { t } = useTranslation()
  const wordsOf = useTermsWords()
  return [
    [t('priceChecks.column.at'), ({ at }) => at],
    [t('priceChecks.column.outcome'), ({ outcome }) => t(`priceChecks.outcome.${outcome}`)],
    [t('priceChecks.filter.supplier'), ({ supplier }) => supplier],
    [t('hotels.facts.code'), ({ hotelCode }) => hotelCode],
    [t('priceChecks.column.hotel'), ({ hotelName }) => hotelName],
    [t('hotels.mappings.roomId'), ({ roomId }) => roomId],
    [t('hotels.mappings.rateId'), ({ rateId }) => rateId],
    [t('reservations.csv.arrival'), ({ checkin }) => checkin],
    [t('reservations.csv.departure'), ({ checkout }) => checkout],
    [t('priceChecks.csv.difference'), ({ difference }) => difference ?? ''],
    [t('priceChecks.csv.currency'), ({ stored }) => stored.currency],
    [t('priceChecks.csv.terms'), (check) => wordsOf(check).join('; ')],
    [t('priceChecks.csv.ms'), ({ durationMs }) => durationMs],
  ]
}

function useColumns(): Column<ConsoleCheck>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'at',
      sorting: { by: ({ at }) => at },
      header: t('priceChecks.column.at'),
      cell: ({ at, timeZone }) => <Time at={at} zone={timeZone} />,
    },
    {
      key: 'outcome',
      sorting: { by: ({ outcome }) => outcome },
      header: t('priceChecks.column.outcome'),
      cell: (check) => <Outcome check={check} />,
    },
    {
      key: 'hotel',
      sorting: { by: ({ hotelName }) => hotelName },
      header: t('priceChecks.column.hotel'),
      cell: (row) => <HotelCell {...row} />,
    },
    {
      key: 'stay',
      sorting: { by: ({ checkin }) => checkin },
      header: t('priceChecks.column.stay'),
      cell: (check) => <StayOf check={check} />,
    },
    {
      key: 'stored',
      sorting: { by: ({ stored, roomCount }) => totalOf(stored, roomCount) },
      header: t('priceChecks.column.stored'),
      align: 'right',
      cell: ({ stored, roomCount }) => <SumOfNights side={stored} roomCount={roomCount} which="stored" />,
    },
    {
      key: 'live',
      sorting: { by: ({ live, roomCount }) => live && totalOf(live, roomCount) },
      header: t('priceChecks.column.live'),
      align: 'right',
      cell: (check) => <LivePrice check={check} />,
    },
  ]
}

/** By currency, then by amount. */
function totalOf(side: { currency: string; amountAfterTax: string[] | null }, roomCount: number): string {
  return `${side.currency} ${sumOf(side.amountAfterTax ?? [], roomCount)}`
}

function LivePrice({ check: { live, stored, roomCount, difference, outcome } }: { check: ConsoleCheck }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0} align="flex-end">
      <SumOfNights side={live} roomCount={roomCount} which="live" />
      {outcome === 'sold_out' ? (
        <Text size="sm" fw={500}>
          {t('priceChecks.inWords.soldOut')}
        </Text>
      ) : (
        <DifferenceText difference={difference} currency={stored.currency} />
      )}
    </Stack>
  )
}

function Outcome({ check }: { check: ConsoleCheck }) {
  const { t } = useTranslation()
  const { outcome, failure, durationMs } = check
  return (
    <Stack gap={2} align="flex-start">
      <OutcomeBadge outcome={outcome} />
      <TermsText check={check} />
      <Text size="xs" c="dimmed">
        {t('priceChecks.took', { ms: durationMs })}
      </Text>
      {failure && (
        <Text size="xs" c="dimmed" maw={220} style={{ overflowWrap: 'anywhere' }}>
          {failure.message}
        </Text>
      )}
    </Stack>
  )
}

function StayOf({ check }: { check: ConsoleCheck }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const { roomId, rateId, checkin, checkout, roomCount } = check
  return (
    <Stack gap={2} align="flex-start">
      <Text size="sm">
        {roomId} / {rateId}, {t('priceChecks.room', { count: roomCount })}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <Day date={checkin} /> – <Day date={checkout} />
      </Text>
      <Button
        variant="subtle"
        size="compact-xs"
        px={4}
        ml={-4}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? t('priceChecks.hide') : t('priceChecks.show')}
      </Button>
      {isOpen && <Nights check={check} />}
    </Stack>
  )
}

function Nights({ check }: { check: ConsoleCheck }) {
  const { t } = useTranslation()
  const { currency } = check.stored
  return (
    <Table aria-label={t('priceChecks.nightsOf')} withTableBorder>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('priceChecks.night')}</Table.Th>
          <Table.Th scope="col" ta="right">
            {t('priceChecks.column.stored')}
          </Table.Th>
          <Table.Th scope="col" ta="right">
            {t('priceChecks.column.live')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {nightsOf(check).map(({ night, stored, live }) => (
          <Table.Tr key={night}>
            <Table.Td>
              <Day date={night} />
            </Table.Td>
            <Table.Td ta="right">
              {stored === undefined ? (
                t('priceChecks.noStored')
              ) : (
                <Money amount={stored} currency={currency} />
              )}
            </Table.Td>
            <Table.Td ta="right" {...(stored === live ? {} : { fw: 600 })}>
              {live === undefined ? t('priceChecks.noLive') : <Money amount={live} currency={currency} />}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
