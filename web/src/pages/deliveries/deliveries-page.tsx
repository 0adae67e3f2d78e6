import { Checkbox, Group } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  ListedDelivery,
  sentAgainMax,
  UndeliveredFilter,
} from '../../../../src/console-api/deliveries/contract.ts'
import { usePages } from '../../api.ts'
import { DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { type CsvColumn, ExportCsv } from '../../parts/lists/export-csv.tsx'
import {
  Filters,
  HotelFilter,
  SelectFilter,
  SupplierFilter,
  TextFilter,
  useFilter,
  ViewLinks,
} from '../../parts/lists/filters.tsx'
import { ButtonTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { ForManagers, useManages } from '../../parts/session.tsx'
import { maySendAgain } from './delivery-badge.tsx'
import { useDeliveryColumns, viewNames, type ViewName } from './delivery-columns.tsx'
import { SendMatchingAgain, SendSelectedAgain } from './send-again.tsx'

/** Refreshed, so that people see resent deliveries arrive. */
const lookEveryMs = 5_000
/** As many can be sent again at once; the compiler keeps it equal to the service's. */
const chosenMax: (typeof sentAgainMax)['chosen'] = 200

export function DeliveriesPage() {
  const { t } = useTranslation()
  const { view, query, filter, isNarrowed } = useDeliveryFilter()
  const pages = usePages('searchDeliveries', { query }, (page) => page.deliveries, { everyMs: lookEveryMs })
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const sendable = pages.rows.filter(maySendAgain).map(({ deliveryId }) => deliveryId)
  const selectable = sendable.slice(0, chosenMax)
  const chosen = sendable.filter((deliveryId) => marked.has(deliveryId)).slice(0, chosenMax)
  const mark = (ids: readonly string[], isMarked: boolean) =>
    setMarked((before) => {
      const after = new Set(before)
      for (const id of ids) {
        if (isMarked) after.add(id)
        else after.delete(id)
      }
      return after
    })
  const columns = useDeliveryColumns({ view, marked, mark: useManages() ? mark : undefined })
  return (
    <Page
      title={t('deliveries.title')}
      intro={t('deliveries.intro')}
      actions={
        <ExportCsv
          list="searchDeliveries"
          input={{ query }}
          rowsOf={(page) => page.deliveries}
          columns={useCsvColumns()}
          file="deliveries"
        />
      }
    >
      <ViewLinks
        name="state"
        label={t('deliveries.view')}
        views={viewNames.map((value) => ({ value, label: t(`deliveries.views.${value}`) }))}
        current={view}
      />
      <DeliveryFilters view={view} />
      {sendable.length > 0 && (
        <ForManagers>
          <Group gap="sm" mb="sm">
            <Checkbox
              label={t('deliveries.chooseAll')}
              checked={chosen.length === selectable.length}
              indeterminate={chosen.length > 0 && chosen.length < selectable.length}
              onChange={({ currentTarget: { checked } }) => mark(checked ? selectable : sendable, checked)}
            />
            <SendSelectedAgain chosen={chosen} onSent={() => setMarked(new Set())} />
            {filter && <SendMatchingAgain filter={filter} query={query} />}
          </Group>
        </ForManagers>
      )}
      <DataTable
        caption={t('deliveries.title')}
        columns={columns}
        rowKey={({ deliveryId }) => deliveryId}
        {...tableOf(pages)}
        empty={useEmpty(view, isNarrowed)}
      />
    </Page>
  )
}

function useCsvColumns(): CsvColumn<ListedDelivery>[] {
  const { t } = useTranslation()
  return [
    [t('reservations.column.reservation'), ({ reservationId }) => reservationId],
    [t('reservations.csv.version'), ({ version }) => version],
    [
      t('reservations.filter.status'),
      ({ reservationStatus }) => t(`reservations.status.${reservationStatus}`),
    ],
    [t('deliveries.view'), ({ state }) => t(`deliveries.state.${state}`)],
    [t('reservations.filter.supplier'), ({ supplier }) => supplier],
    [t('reservations.column.hotel'), ({ hotelName }) => hotelName],
    [t('reservations.csv.arrival'), ({ arrivesAt }) => arrivesAt],
    [t('deliveries.csv.attempts'), ({ attempts }) => attempts],
    [t('deliveries.csv.outcome'), ({ outcome }) => outcome ?? ''],
    [t('deliveries.csv.status'), ({ httpStatus }) => httpStatus ?? ''],
    [t('deliveries.column.since'), ({ undeliveredSince }) => undeliveredSince],
    [t('deliveries.column.next'), ({ dueAt }) => dueAt ?? ''],
    [t('deliveries.column.delivered'), ({ deliveredAt }) => deliveredAt ?? ''],
    [t('reservations.csv.note'), ({ lastNote }) => lastNote?.text ?? ''],
  ]
}

function useEmpty(view: ViewName, isNarrowed: boolean) {
  const { t } = useTranslation()
  const action = (
    <ButtonTo to="/deliveries" search={{ state: 'all' }} variant="default">
      {t('deliveries.empty.showAll')}
    </ButtonTo>
  )
  if (isNarrowed)
    return { title: t('deliveries.empty.filtered'), hint: t('deliveries.empty.filteredHint'), action }
  if (view === 'all') return { title: t('deliveries.empty.all'), hint: t('deliveries.empty.allHint') }
  if (view === 'dead')
    return { title: t('deliveries.empty.dead'), hint: t('deliveries.empty.deadHint'), action }
  if (view === 'undelivered')
    return { title: t('deliveries.empty.undelivered'), hint: t('deliveries.empty.undeliveredHint'), action }
  return { title: t('deliveries.empty.filtered'), action }
}

/** The filters of the page; all are in the URL. */

const openViews = ['undelivered', 'failing', 'dead', 'no_url'] as const

const names = [
  'supplierId',
  'hotelId',
  'olderThanMinutes',
  'arrivalWithinHours',
  'alerted',
  'endpoint',
] as const

type DeliveryFilter = {
  view: ViewName
  query: Readonly<Record<string, string | undefined>>
  /** The filter for sending all matches again; undefined: this view has none to send. */
  filter: UndeliveredFilter | undefined
  isNarrowed: boolean
}

function useDeliveryFilter(): DeliveryFilter {
  const search = useSearch({ strict: false })
  const view = viewNames.find((name) => name === search['state']) ?? 'undelivered'
  const state = openViews.find((name) => name === view)
  const { supplierId, hotelId, endpoint, alerted } = search
  if (state === undefined) {
    const query = { ...(view === 'all' ? {} : { state: view }), supplierId, hotelId }
    return { view, query, filter: undefined, isNarrowed: hasText(supplierId) || hasText(hotelId) }
  }
  const { olderThanMinutes: minutes, arrivalWithinHours: hours } = search
  return {
    view,
    query: {
      state,
      supplierId,
      hotelId,
      endpoint,
      olderThanMinutes: minutes,
      arrivalWithinHours: hours,
      alerted,
    },
    filter: {
      state,
      ...(hasText(supplierId) ? { supplierId: Number(supplierId) } : {}),
      ...(hasText(hotelId) ? { hotelId: Number(hotelId) } : {}),
      ...(hasText(endpoint) ? { endpoint } : {}),
      ...(hasText(minutes) ? { olderThanMinutes: Number(minutes) } : {}),
      ...(hasText(hours) ? { arrivalWithinHours: Number(hours) } : {}),
      ...(hasText(alerted) ? { alerted: true } : {}),
    },
    isNarrowed: names.some((name) => hasText(search[name])),
  }
}

function hasText(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

function DeliveryFilters({ view }: { view: ViewName }) {
  const { t } = useTranslation()
  const [endpoint] = useFilter('endpoint')
  const isOpen = openViews.some((name) => name === view)
  const older = { '10': 'min10', '30': 'min30', '120': 'hour2', '1440': 'day1' } as const
  const arrival = { '24': 'hours24', '48': 'hours48', '168': 'days7' } as const
  return (
    <Filters names={names}>
      <SupplierFilter label={t('deliveries.filter.supplier')} />
      <HotelFilter label={t('deliveries.filter.hotel')} />
      {isOpen && (
        <>
          <SelectFilter
            name="olderThanMinutes"
            label={t('deliveries.filter.older')}
            options={Object.entries(older).map(([value, key]) => ({
              value,
              label: t(`deliveries.filter.olderThan.${key}`),
            }))}
          />
          <SelectFilter
            name="arrivalWithinHours"
            label={t('deliveries.filter.arrival')}
            options={Object.entries(arrival).map(([value, key]) => ({
              value,
              label: t(`deliveries.filter.arrivalWithin.${key}`),
            }))}
          />
          <SelectFilter
            name="alerted"
            label={t('deliveries.filter.alerted')}
            options={[{ value: 'true', label: t('deliveries.filter.alertedOnly') }]}
          />
          {endpoint !== '' && <TextFilter name="endpoint" label={t('deliveries.filter.endpoint')} />}
        </>
      )}
    </Filters>
  )
}
