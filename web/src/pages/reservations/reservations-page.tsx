import { Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ListedReservation } from '../../../../src/console-api/bookings/contract.ts'
import { usePages } from '../../api.ts'
import { type Column, DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { type CsvColumn, ExportCsv } from '../../parts/lists/export-csv.tsx'
import {
  DatesFilter,
  Filters,
  HotelFilter,
  SelectFilter,
  SupplierFilter,
  TextFilter,
} from '../../parts/lists/filters.tsx'
import { HotelCell, ReservationNumber } from '../../parts/link-to.tsx'
import { Money, MoneyTotals } from '../../parts/values/numbers.tsx'
import { Page } from '../../parts/page.tsx'
import { Ago, Day } from '../../parts/values/time.tsx'
import cells from '../deliveries/deliveries.module.css'
import { AlertBadge, DeliveryBadge, LastNote, ReservationStatus } from '../deliveries/delivery-badge.tsx'

const names = [
  'reservation',
  'guest',
  'clientReference',
  'channel',
  'supplierId',
  'hotelId',
  'status',
  'undelivered',
  'arrivalFrom',
  'arrivalTo',
  'createdSince',
  'createdUntil',
] as const

export function ReservationsPage() {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const query = Object.fromEntries(names.map((name) => [name, search[name]]))
  const pages = usePages('searchReservations', { query }, (page) => page.reservations)
  const isFiltered = names.some((name) => (search[name] ?? '') !== '')
  return (
    <Page
      title={t('reservations.title')}
      intro={t('reservations.intro')}
      actions={
        <ExportCsv
          list="searchReservations"
          input={{ query }}
          rowsOf={(page) => page.reservations}
          columns={useCsvColumns()}
          file="reservations"
        />
      }
    >
      <Filters names={names}>
        <TextFilter name="reservation" label={t('reservations.filter.reservation')} width={150} />
        <TextFilter name="guest" label={t('reservations.filter.guest')} width={150} />
        <TextFilter name="clientReference" label={t('reservations.clientReference')} width={150} />
        <TextFilter name="channel" label={t('reservations.channel')} width={120} />
        <SupplierFilter label={t('reservations.filter.supplier')} />
        <HotelFilter label={t('reservations.filter.hotel')} />
        <SelectFilter
          name="undelivered"
          label={t('reservations.filter.reached')}
          options={[{ value: 'true', label: t('reservations.filter.notReached') }]}
        />
        <SelectFilter
          name="status"
          label={t('reservations.filter.status')}
          options={[
            { value: 'Confirm', label: t('reservations.status.Confirm') },
            { value: 'Cancel', label: t('reservations.status.Cancel') },
          ]}
        />
        <DatesFilter
          from={{ name: 'arrivalFrom', label: t('reservations.filter.arrivalFrom') }}
          to={{ name: 'arrivalTo', label: t('reservations.filter.arrivalTo') }}
        />
        <DatesFilter
          from={{ name: 'createdSince', label: t('reservations.filter.createdSince') }}
          to={{ name: 'createdUntil', label: t('reservations.filter.createdUntil') }}
        />
      </Filters>
      <DataTable
        caption={t('reservations.title')}
        columns={useColumns()}
        rowKey={({ reservationId }) => reservationId}
        {...tableOf(pages)}
        empty={
          isFiltered
            ? { title: t('reservations.empty.title'), hint: t('reservations.empty.hint') }
            : { title: t('reservations.empty.none'), hint: t('reservations.empty.noneHint') }
        }
      />
    </Page>
  )
}

function useCsvColumns(): CsvColumn<ListedReservation>[] {
  const { t } = useTranslation()
  return [
    [t('reservations.column.reservation'), ({ reservationId }) => reservationId],
    [t('reservations.csv.version'), ({ version }) => version],
    [t('reservations.clientReference'), ({ clientReference }) => clientReference ?? ''],
    [t('reservations.channel'), ({ channel }) => channel ?? ''],
    [t('reservations.filter.status'), ({ status }) => t(`reservations.status.${status}`)],
    [t('reservations.column.reached'), ({ delivery }) => t(`deliveries.state.${delivery}`)],
    [t('reservations.column.guest'), ({ customer }) => customer],
    [t('reservations.csv.rooms'), ({ rooms }) => rooms],
    [t('reservations.csv.hotelCode'), ({ hotelCode }) => hotelCode],
    [t('reservations.column.hotel'), ({ hotelName }) => hotelName],
    [t('reservations.filter.supplier'), ({ supplier }) => supplier],
    [t('reservations.csv.arrival'), ({ checkin }) => checkin],
    [t('reservations.csv.departure'), ({ checkout }) => checkout],
    [t('reservations.column.total'), ({ afterTax }) => afterTax],
    [t('reservations.csv.currency'), ({ currency }) => currency],
    [t('reservations.column.booked'), ({ createdAt }) => createdAt],
    [t('reservations.csv.modified'), ({ modifiedAt }) => modifiedAt],
    [t('reservations.csv.note'), ({ lastNote }) => lastNote?.text ?? ''],
  ]
}

function useColumns(): Column<ListedReservation>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'reservation',
      sorting: { by: ({ reservationId }) => reservationId },
      header: t('reservations.column.reservation'),
      cell: ({ reservationId, version, status }) => (
        <Stack gap={0} align="flex-start">
          <ReservationNumber id={reservationId} />
          <Text size="xs" c="dimmed">
            {t('reservations.version', { version })}
          </Text>
          {status === 'Cancel' && <ReservationStatus status={status} />}
        </Stack>
      ),
    },
    {
      key: 'reached',
      sorting: { by: ({ delivery }) => t(`deliveries.state.${delivery}`) },
      header: t('reservations.column.reached'),
      cell: ({ delivery, isAlerted, lastNote }) => (
        <Stack gap={4} align="flex-start">
          <DeliveryBadge state={delivery} />
          {isAlerted && <AlertBadge />}
          <LastNote note={lastNote} />
        </Stack>
      ),
    },
    {
      key: 'guest',
      sorting: { by: ({ customer }) => customer },
      header: t('reservations.column.guest'),
      cell: ({ customer, rooms }) => (
        <Stack gap={0} className={cells['name']}>
          <span>{customer}</span>
          <Text size="xs" c="dimmed">
            {t('reservations.rooms', { count: rooms })}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'hotel',
      sorting: { by: ({ hotelName }) => hotelName },
      header: t('reservations.column.hotel'),
      cell: (row) => <HotelCell {...row} />,
    },
    {
      key: 'arrival',
      sorting: { by: ({ checkin }) => checkin },
      header: t('reservations.column.arrival'),
      cell: ({ checkin, checkout }) => (
        <Stack gap={0}>
          <Day date={checkin} />
          <Text size="xs" c="dimmed" component="div" style={{ whiteSpace: 'nowrap' }}>
            {t('reservations.column.until')} <Day date={checkout} />
          </Text>
        </Stack>
      ),
    },
    {
      key: 'total',
      total: (rows) => <TotalOfConfirmed rows={rows} />,
      sorting: { by: ({ currency, afterTax }) => `${currency} ${afterTax}` },
      header: t('reservations.column.total'),
      align: 'right',
      cell: ({ afterTax, currency }) => <Money amount={afterTax} currency={currency} />,
    },
    {
      key: 'booked',
      sorting: { by: ({ createdAt }) => createdAt },
      header: t('reservations.column.booked'),
      cell: ({ createdAt }) => <Ago at={createdAt} />,
    },
  ]
}

/** Nobody pays for a cancelled reservation what it was booked at. */
function TotalOfConfirmed({ rows }: { rows: readonly ListedReservation[] }) {
  const { t } = useTranslation()
  const confirmed = rows.filter(({ status }) => status === 'Confirm')
  return (
    <>
      <MoneyTotals of={confirmed.map(({ afterTax, currency }) => ({ amount: afterTax, currency }))} />
      {confirmed.length < rows.length && (
        <Text size="xs" c="dimmed">
          {t('reservations.withoutCancelled')}
        </Text>
      )}
    </>
  )
}
