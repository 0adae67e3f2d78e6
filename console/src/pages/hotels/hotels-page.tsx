import { Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { HotelListed } from '../../../../src/console/hotels/contract.ts'
import { usePages } from '../../api.ts'
import { DataTable, tableOf, type Column } from '../../parts/data-table.tsx'
import { ButtonTo, LinkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Ago } from '../../parts/time.tsx'
import { StageBadge } from './hotel-badges.tsx'
import { HotelFilters, hotelFilters } from './hotel-filters.tsx'

const isOneOf = <const V extends string>(values: readonly V[], text: string | undefined): V | undefined =>
  values.find((value) => value === text)

export function HotelsPage() {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const found = usePages(
    'listHotels',
    {
      query: {
        search: search['search'],
        supplierId: search['supplierId'],
        staleSince: search['staleSince'],
        endsBy: search['endsBy'],
        country: search['country']?.toUpperCase(),
        currency: search['currency']?.toUpperCase(),
        goLive: isOneOf(['products', 'ari', 'webhooks', 'ready'], search['goLive']),
        available: isOneOf(['yes', 'no'], search['available']),
        ari: isOneOf(['none', 'some'], search['ari']),
        sort: isOneOf(['newest', 'stalest', 'ending'], search['sort']),
      },
    },
    ({ hotels }) => hotels,
  )
  const isFiltered = hotelFilters.some((name) => (search[name] ?? '') !== '')
  const empty = isFiltered
    ? { title: t('hotels.list.noneFound'), hint: t('hotels.list.noneFoundHint') }
    : {
        title: t('hotels.list.none'),
        hint: t('hotels.list.noneHint'),
        action: <ButtonTo to="/suppliers">{t('hotels.list.toSuppliers')}</ButtonTo>,
      }
  return (
    <Page title={t('hotels.title')} intro={t('hotels.intro')}>
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

function useColumns(): Column<HotelListed>[] {
  const { t } = useTranslation()
  const none = (
    <Text span c="dimmed" size="sm">
      {t('hotels.list.nothing')}
    </Text>
  )
  return [
    { key: 'name', header: t('hotels.list.name'), cell: (hotel) => <NameOf hotel={hotel} /> },
    {
      key: 'supplier',
      header: t('hotels.list.supplier'),
      cell: ({ supplierId, supplier }) => (
        <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} fz="sm">
          {supplier}
        </LinkTo>
      ),
    },
    {
      key: 'place',
      header: t('hotels.list.place'),
      cell: ({ city, countryCode }) =>
        city === null && countryCode === null
          ? none
          : [city, countryCode].filter((part) => part !== null).join(', '),
    },
    { key: 'currency', header: t('hotels.list.currency'), cell: ({ currency }) => currency },
    { key: 'lastAri', header: t('hotels.list.lastAri'), cell: ({ lastAriAt }) => <Ago at={lastAriAt} /> },
    {
      key: 'ariUntil',
      header: t('hotels.list.ariUntil'),
      cell: ({ ariUntilMonth }) => (ariUntilMonth === null ? none : <MonthText month={ariUntilMonth} />),
    },
    { key: 'state', header: t('hotels.list.state'), cell: ({ goLive }) => <StageBadge stage={goLive} /> },
  ]
}

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
