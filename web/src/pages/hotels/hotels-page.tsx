import { NativeSelect, Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { CalendarDays } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { GoLiveStage, HotelListed } from '../../../../src/console-api/hotels/contract.ts'
import { usePages } from '../../api.ts'
import { type Column, DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { DateField } from '../../parts/lists/date-field.tsx'
import { type CsvColumn, ExportCsv } from '../../parts/lists/export-csv.tsx'
import {
  DateFilter,
  Filters,
  SelectFilter,
  SupplierFilter,
  TextFilter,
  useFilter,
} from '../../parts/lists/filters.tsx'
import { ButtonTo, LinkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Ago } from '../../parts/values/time.tsx'
import { StageBadge } from './hotel-details.tsx'

const isOneOf = <const V extends string>(values: readonly V[], text: string | undefined): V | undefined =>
  values.find((value) => value === text)

export function HotelsPage() {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const query = {
    search: search['search'],
    supplierId: search['supplierId'],
    staleSince: search['staleSince'],
    endsBy: search['endsBy'],
    country: search['country']?.toUpperCase(),
    currency: search['currency']?.toUpperCase(),
    goLive: isOneOf(['products', 'ari', 'webhooks', 'ready'], search['goLive']),
    available: isOneOf(['yes', 'no'], search['available']),
    ari: isOneOf(['none', 'some'], search['ari']),
    sort: isOneOf(['newest', 'stalest', 'ending', 'nameLast', 'freshest', 'endingLast'], search['sort']),
  }
  const found = usePages('listHotels', { query }, ({ hotels }) => hotels)
  const isFiltered = hotelFilters.some((name) => (search[name] ?? '') !== '')
  const empty = isFiltered
    ? { title: t('hotels.list.noneFound'), hint: t('hotels.list.noneFoundHint') }
    : {
        title: t('hotels.list.none'),
        hint: t('hotels.list.noneHint'),
        action: <ButtonTo to="/suppliers">{t('hotels.list.toSuppliers')}</ButtonTo>,
      }
  return (
    <Page
      title={t('hotels.title')}
      intro={t('hotels.intro')}
      actions={
        <>
          <ButtonTo
            to="/calendars"
            search={{ supplierId: query.supplierId, search: query.search }}
            variant="default"
            leftSection={<CalendarDays size={14} aria-hidden />}
          >
            {t('calendar.many.button')}
          </ButtonTo>
          <ExportCsv
            list="listHotels"
            input={{ query }}
            rowsOf={({ hotels }) => hotels}
            columns={useCsvColumns()}
            file="hotels"
          />
        </>
      }
    >
      <HotelFilters />
      <Text role="status" size="xs" c="dimmed" mb={4}>
        {found.isPending ? '' : t('hotels.list.found', { count: found.rows.length })}
      </Text>
      <DataTable
        caption={t('hotels.list.caption')}
        columns={useColumns()}
        rowKey={({ hotelId }) => hotelId}
        empty={empty}
        {...tableOf(found)}
      />
    </Page>
  )
}

function useCsvColumns(): CsvColumn<HotelListed>[] {
  const { t } = useTranslation()
  return [
    [t('hotels.facts.id'), ({ hotelId }) => hotelId],
    [t('hotels.facts.code'), ({ code }) => code],
    [t('hotels.list.name'), ({ name }) => name],
    [t('hotels.list.supplier'), ({ supplier }) => supplier],
    [t('hotels.facts.city'), ({ city }) => city ?? ''],
    [t('hotels.filter.country'), ({ countryCode }) => countryCode ?? ''],
    [t('hotels.list.currency'), ({ currency }) => currency],
    [t('hotels.facts.timeZone'), ({ timeZone }) => timeZone],
    [
      t('hotels.filter.available'),
      ({ isAvailable }) => t(isAvailable ? 'hotels.filter.yes' : 'hotels.filter.no'),
    ],
    [t('hotels.list.lastAri'), ({ lastAriAt }) => lastAriAt ?? ''],
    [t('hotels.list.ariUntil'), ({ ariUntilMonth }) => ariUntilMonth ?? ''],
    [t('hotels.list.state'), ({ goLive }) => t(`hotels.stageLabel.${goLive}`)],
  ]
}

function useColumns(): Column<HotelListed>[] {
  const { t } = useTranslation()
  const none = (
    <Text span c="dimmed" size="sm">
      {t('hotels.list.nothing')}
    </Text>
  )
  return [
    {
      key: 'name',
      header: t('hotels.list.name'),
      cell: (hotel) => <NameOf hotel={hotel} />,
      sorting: { ascending: '', descending: 'nameLast' },
    },
    {
      key: 'supplier',
      sorting: { by: ({ supplier }) => supplier },
      header: t('hotels.list.supplier'),
      cell: ({ supplierId, supplier }) => (
        <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} fz="sm">
          {supplier}
        </LinkTo>
      ),
    },
    {
      key: 'place',
      sorting: { by: ({ city }) => city },
      header: t('hotels.list.place'),
      cell: ({ city, countryCode }) =>
        city === null && countryCode === null
          ? none
          : [city, countryCode].filter((part) => part !== null).join(', '),
    },
    {
      key: 'currency',
      sorting: { by: ({ currency }) => currency },
      header: t('hotels.list.currency'),
      cell: ({ currency }) => currency,
    },
    {
      key: 'lastAri',
      header: t('hotels.list.lastAri'),
      cell: ({ lastAriAt }) => <Ago at={lastAriAt} />,
      sorting: { ascending: 'stalest', descending: 'freshest' },
    },
    {
      key: 'ariUntil',
      header: t('hotels.list.ariUntil'),
      cell: ({ ariUntilMonth }) => (ariUntilMonth === null ? none : <MonthText month={ariUntilMonth} />),
      sorting: { ascending: 'ending', descending: 'endingLast' },
    },
    {
      key: 'state',
      sorting: { by: ({ goLive }) => rankByStage[goLive] },
      header: t('hotels.list.state'),
      cell: ({ goLive }) => <StageBadge stage={goLive} />,
    },
  ]
}

const rankByStage: Readonly<Record<GoLiveStage, number>> = { products: 0, ari: 1, webhooks: 2, ready: 3 }

function NameOf({ hotel: { hotelId, name, code, isAvailable } }: { hotel: HotelListed }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0}>
      <LinkTo to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }} fw={500} fz="sm">
        {name}
      </LinkTo>
      <Text size="xs" c="dimmed">
        {code}
        {isAvailable ? '' : ` · ${t('hotels.list.notOpen')}`}
      </Text>
    </Stack>
  )
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'short', year: 'numeric' })

function MonthText({ month }: { month: string }) {
  return <time dateTime={month}>{monthFormat.format(new Date(`${month}-01T00:00:00Z`))}</time>
}

const hotelFilters = [
  'search',
  'supplierId',
  'goLive',
  'available',
  'ari',
  'staleSince',
  'endsBy',
  'country',
  'currency',
] as const

function HotelFilters() {
  const { t } = useTranslation()
  const options = <Value extends string>(values: readonly Value[], label: (value: Value) => string) =>
    values.map((value) => ({ value, label: label(value) }))
  return (
    <Filters names={hotelFilters}>
      <TextFilter
        name="search"
        label={t('hotels.filter.search')}
        placeholder={t('hotels.filter.searchHint')}
        width={280}
      />
      <SupplierFilter label={t('hotels.filter.supplier')} />
      <SelectFilter
        name="goLive"
        label={t('hotels.filter.goLive')}
        options={options(['products', 'ari', 'webhooks', 'ready'] as const, (stage) =>
          t(`hotels.stage.${stage}`),
        )}
      />
      <SelectFilter
        name="available"
        label={t('hotels.filter.available')}
        options={options(['yes', 'no'] as const, (value) => t(`hotels.filter.${value}`))}
      />
      <SelectFilter
        name="ari"
        label={t('hotels.filter.ari')}
        options={[
          { value: 'none', label: t('hotels.filter.ariNone') },
          { value: 'some', label: t('hotels.filter.ariSome') },
        ]}
      />
      <DateFilter name="staleSince" label={t('hotels.filter.staleSince')} />
      <MonthFilter name="endsBy" label={t('hotels.filter.endsBy')} />
      <TextFilter
        name="country"
        label={t('hotels.filter.country')}
        placeholder={t('hotels.filter.countryHint')}
        width={80}
      />
      <TextFilter
        name="currency"
        label={t('hotels.filter.currency')}
        placeholder={t('hotels.filter.currencyHint')}
        width={80}
      />
      <OrderFilter />
    </Filters>
  )
}

function OrderFilter() {
  const { t } = useTranslation()
  const [order, set] = useFilter('sort')
  return (
    <NativeSelect
      label={t('hotels.filter.sort')}
      value={order}
      onChange={(event) => set(event.currentTarget.value)}
      data={[
        { value: '', label: t('hotels.sort.name') },
        { value: 'newest', label: t('hotels.sort.newest') },
        { value: 'stalest', label: t('hotels.sort.stalest') },
        { value: 'ending', label: t('hotels.sort.ending') },
        { value: 'nameLast', label: t('hotels.sort.nameLast') },
        { value: 'freshest', label: t('hotels.sort.freshest') },
        { value: 'endingLast', label: t('hotels.sort.endingLast') },
        ...(order.includes('.') ? [{ value: order, label: t('hotels.sort.column') }] : []),
      ]}
    />
  )
}

function MonthFilter({ name, label }: { name: string; label: string }) {
  const [value, set] = useFilter(name)
  return <DateField type="month" label={label} value={value} onChange={set} />
}
