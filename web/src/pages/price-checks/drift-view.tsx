import { Button, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DriftingNight } from '../../../../src/console-api/price-checks/contract.ts'
import { call, usePages } from '../../api.ts'
import { type Column, DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { type CsvColumn, ExportCsv } from '../../parts/lists/export-csv.tsx'
import { Filters, HotelFilter, SupplierFilter } from '../../parts/lists/filters.tsx'
import { HotelCell, LinkTo } from '../../parts/link-to.tsx'
import { Money } from '../../parts/values/numbers.tsx'
import { Ago, dateText } from '../../parts/values/time.tsx'
import cells from '../deliveries/deliveries.module.css'
import { DifferenceText } from './check-look.tsx'
import { ViewFrame } from './view-frame.tsx'

const names = ['supplierId', 'hotelId'] as const

/** The drift ledger: nights whose live price differs from the pushed one. */
export function DriftView() {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const query = Object.fromEntries(names.map((name) => [name, search[name]]))
  const pages = usePages('searchDrift', { query }, (page) => page.nights)
  return (
    <ViewFrame
      view="drift"
      actions={
        <ExportCsv
          list="searchDrift"
          input={{ query }}
          rowsOf={({ nights }) => nights}
          columns={useCsvColumns()}
          file="price-drift"
        />
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        {t('priceChecks.drift.intro')}
      </Text>
      <Filters names={names}>
        <SupplierFilter label={t('priceChecks.filter.supplier')} />
        <HotelFilter label={t('priceChecks.filter.hotel')} />
      </Filters>
      <DataTable
        caption={t('priceChecks.drift.table')}
        columns={useColumns()}
        rowKey={({ hotelId, roomId, rateId, night }) => JSON.stringify([hotelId, roomId, rateId, night])}
        {...tableOf(pages)}
        empty={{ title: t('priceChecks.drift.empty'), hint: t('priceChecks.drift.emptyHint') }}
      />
    </ViewFrame>
  )
}

function useCsvColumns(): CsvColumn<DriftingNight>[] {
  const { t } = useTranslation()
  const header = (name: 'night' | 'hotel' | 'stored' | 'live' | 'since'): string =>
    t(`priceChecks.drift.${name}`)
  return [
    [header('night'), ({ night }) => night],
    [header('hotel'), ({ hotelName }) => hotelName],
    [t('priceChecks.filter.supplier'), ({ supplier }) => supplier],
    [t('priceChecks.drift.room'), ({ roomId }) => roomId],
    [t('priceChecks.drift.rate'), ({ rateId }) => rateId],
    [t('priceChecks.drift.currency'), ({ currency }) => currency],
    [header('stored'), ({ stored }) => stored ?? ''],
    [header('live'), ({ live }) => live ?? ''],
    [t('priceChecks.drift.percent'), ({ differencePercent }) => differencePercent ?? ''],
    [t('priceChecks.drift.differing'), ({ differing }) => differing],
    [t('priceChecks.drift.answers'), ({ checks }) => checks],
    [header('since'), ({ since }) => since?.at ?? ''],
  ]
}

function useColumns(): Column<DriftingNight>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'night',
      header: t('priceChecks.drift.night'),
      cell: (night) => <NightLink night={night} />,
      sorting: { by: ({ night }) => night },
    },
    {
      key: 'hotel',
      header: t('priceChecks.drift.hotel'),
      cell: (row) => <HotelCell {...row} />,
      sorting: { by: ({ hotelName }) => hotelName },
    },
    {
      key: 'roomRate',
      header: t('priceChecks.drift.roomRate'),
      cell: ({ roomName, rateName, roomId, rateId }) => (
        <Stack gap={0}>
          <span>
            {roomName}, {rateName}
          </span>
          <Text size="xs" c="dimmed">
            {roomId} / {rateId}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'stored',
      header: t('priceChecks.drift.stored'),
      align: 'right',
      cell: ({ stored, currency }) => stored !== null && <Money amount={stored} currency={currency} />,
    },
    {
      key: 'live',
      sorting: { by: ({ differencePercent }) => differencePercent },
      header: t('priceChecks.drift.live'),
      align: 'right',
      cell: ({ live, difference, differencePercent, currency }) => (
        <Stack gap={0} align="flex-end">
          {live !== null && <Money amount={live} currency={currency} />}
          <DifferenceText difference={difference} percent={differencePercent} currency={currency} />
        </Stack>
      ),
    },
    {
      key: 'often',
      sorting: { by: ({ differing }) => differing },
      header: t('priceChecks.drift.often'),
      cell: ({ differing, checks, soldOut }) => (
        <Stack gap={0}>
          <span>{t('priceChecks.drift.oftenText', { differing, checks })}</span>
          {soldOut > 0 && (
            <Text size="xs" c="dimmed">
              {t('priceChecks.drift.soldOut', { count: soldOut })}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'since',
      header: t('priceChecks.drift.since'),
      cell: (night) => <Since night={night} />,
      sorting: { by: ({ since }) => since?.at ?? null },
    },
  ]
}

/** A link to the cell in the calendar. */
function NightLink({ night: { hotelId, roomId, rateId, night } }: { night: DriftingNight }) {
  const { t } = useTranslation()
  const text = dateText(night)
  return (
    <LinkTo
      fz="sm"
      className={cells['line']}
      to="/hotels/$hotelId/calendar"
      params={{ hotelId: String(hotelId) }}
      search={{ from: night, room: roomId, rate: rateId, night }}
      aria-label={t('priceChecks.drift.openCalendar', { night: text })}
    >
      {text}
    </LinkTo>
  )
}

/** The push is looked up only on a click, because that searches all pushes of the hotel. */
function Since({ night: { hotelId, since } }: { night: DriftingNight }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [isLooking, setIsLooking] = useState(false)
  if (since === null) return null
  const { at, revision } = since
  const goToPush = async (): Promise<void> => {
    setIsLooking(true)
    try {
      const { pushId } = await call('findPushOfRevision', { params: { hotelId, revision } })
      if (pushId === null) notifications.show({ message: t('priceChecks.drift.noPush') })
      else await navigate({ to: '/pushes/$pushId', params: { pushId: String(pushId) } })
    } catch {
      notifications.show({ color: 'red', message: t('parts.failed') })
    } finally {
      setIsLooking(false)
    }
  }
  return (
    <Stack gap={2} align="flex-start">
      <Ago at={at} />
      <Button
        variant="subtle"
        size="compact-xs"
        px={4}
        ml={-4}
        role="link"
        loading={isLooking}
        onClick={() => void goToPush()}
      >
        {t('priceChecks.drift.sincePush', { revision })}
      </Button>
    </Stack>
  )
}
