import { Alert, Group, Skeleton, Stack, Tabs } from '@mantine/core'
import { CalendarDays } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type {
  HotelProduct,
  HotelPage as HotelRead,
  HotelTaxes as ScopedTaxes,
} from '../../../../src/console-api/hotels/contract.ts'
import { useApi } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { useFilter, useIdParam } from '../../parts/lists/filters.tsx'
import { ButtonTo, LinkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Can } from '../../parts/session.tsx'
import { dateText, Time } from '../../parts/values/time.tsx'
import { useVisit } from '../../parts/visits.ts'
import { UnreadPage } from '../../parts/unknown-page.tsx'
import { HotelAlerts } from '../alerts/hotel-alerts.tsx'
import { HotelHolds } from '../holds/hotel-holds.tsx'
import { HotelStopSells, StopSellBadge } from '../stop-sells/hotel-stop-sells.tsx'
import { CertificationPanel } from '../suppliers/certification-panel.tsx'
import { Bookability } from './bookability.tsx'
import { Checklist } from './checklist.tsx'
import { HotelLine, NeighbourButtons } from './hotel-line.tsx'
import { HotelDetails, OpenBadge } from './hotel-details.tsx'
import { HotelProducts } from './hotel-products.tsx'
import { ResyncButton } from './resync-button.tsx'
import { useRowSteps } from './use-row-steps.ts'

const tabs = ['checklist', 'why', 'details', 'products', 'taxes', 'mappings'] as const

export function HotelPage() {
  const { t } = useTranslation()
  const hotelId = useIdParam('hotelId')
  const { data, error, refetch } = useApi('getHotel', { params: { hotelId } })
  useVisit(data?.hotel.name)
  const crumbs = [
    <LinkTo key="hotels" to="/hotels" fz="xs">
      {t('hotels.title')}
    </LinkTo>,
  ]
  if (error && !data)
    return (
      <UnreadPage
        what="hotel"
        title={t('hotels.hotelTitle')}
        crumbs={crumbs}
        error={error}
        onRetry={() => void refetch()}
      />
    )
  if (!data) {
    return (
      <Page title={t('hotels.hotelTitle')} crumbs={crumbs}>
        <Skeleton height={240} />
      </Page>
    )
  }
  const { hotel } = data
  const params = { hotelId: String(hotelId) }
  return (
    <Page
      title={hotel.name}
      crumbs={crumbs}
      beside={
        <>
          <OpenBadge read={data} />
          <Can role="viewer">
            <StopSellBadge hotelId={hotelId} />
          </Can>
        </>
      }
      intro={<HotelLine hotel={hotel} />}
      actions={
        <Group gap="xs">
          <NeighbourButtons hotelId={hotelId} to="/hotels/$hotelId" />
          <ButtonTo
            to="/hotels/$hotelId/calendar"
            params={params}
            leftSection={<CalendarDays size={14} aria-hidden />}
          >
            {t('hotels.toCalendar')}
          </ButtonTo>
          <ResyncButton hotelId={hotelId} />
          <ButtonTo to="/pushes" search={params} variant="default">
            {t('hotels.toPushes')}
          </ButtonTo>
          <Can role="viewer">
            <ButtonTo to="/reservations" search={params} variant="default">
              {t('hotels.toReservations')}
            </ButtonTo>
            <ButtonTo to="/audit" search={params} variant="default">
              {t('hotels.toAudit')}
            </ButtonTo>
          </Can>
        </Group>
      }
    >
      <Stack gap="md">
        <Can role="viewer">
          <HotelAlerts hotelId={hotelId} />
          <HotelHolds hotelId={hotelId} />
          <HotelStopSells hotelId={hotelId} />
        </Can>
        <Parts read={data} />
      </Stack>
    </Page>
  )
}

function Parts({ read }: { read: HotelRead }) {
  const { t } = useTranslation()
  const [tab, setTab] = useFilter('tab')
  const shown = tabs.find((name) => name === tab) ?? 'checklist'
  return (
    <Tabs
      value={shown}
      onChange={(name) => setTab(name === 'checklist' ? '' : (name ?? ''))}
      keepMounted={false}
    >
      <Tabs.List aria-label={t('hotels.tab.label')} mb="md">
        {tabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t(`hotels.tab.${name}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="checklist">
        <Stack gap="sm">
          <Readiness read={read} />
          <Checklist steps={read.checklist} zone={read.hotel.timeZone} supplier={read.hotel} />
          <CertificationPanel
            supplierId={read.hotel.supplierId}
            hotelId={read.hotel.hotelId}
            isLive={read.isReady && read.hotel.isAvailable}
          />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="why">
        <Bookability hotel={read.hotel} today={read.today} />
      </Tabs.Panel>
      <Tabs.Panel value="details">
        <HotelDetails read={read} />
      </Tabs.Panel>
      <Tabs.Panel value="products">
        <HotelProducts read={read} />
      </Tabs.Panel>
      <Tabs.Panel value="taxes">
        <HotelTaxes taxes={read.taxes} currency={read.hotel.currency} />
      </Tabs.Panel>
      <Tabs.Panel value="mappings">
        <HotelMappings products={read.products} zone={read.hotel.timeZone} />
      </Tabs.Panel>
    </Tabs>
  )
}

function Readiness({ read: { isReady, checklist } }: { read: HotelRead }) {
  const { t } = useTranslation()
  const missing = checklist.filter(({ status }) => status === 'missing').length
  return (
    <Alert color={isReady ? 'teal' : 'yellow'} p="xs">
      {isReady ? t('hotels.check.ready') : t('hotels.check.notReady', { count: missing })}
    </Alert>
  )
}

/** The supplier's codes next to the platform's. */
function HotelMappings({ products, zone }: { products: readonly HotelProduct[]; zone: string }) {
  const { t } = useTranslation()
  const some = useRowSteps(products)
  const columns: Column<HotelProduct>[] = [
    {
      key: 'roomId',
      sorting: { by: ({ roomId }) => roomId },
      header: t('hotels.mappings.roomId'),
      cell: ({ roomId }) => <Code copies={roomId}>{roomId}</Code>,
    },
    {
      key: 'platformRoomId',
      header: t('hotels.mappings.platformRoomId'),
      cell: ({ platformRoomId }) => <Code copies={platformRoomId}>{platformRoomId}</Code>,
    },
    {
      key: 'rateId',
      sorting: { by: ({ rateId }) => rateId },
      header: t('hotels.mappings.rateId'),
      cell: ({ rateId }) => <Code copies={rateId}>{rateId}</Code>,
    },
    {
      key: 'platformRateId',
      header: t('hotels.mappings.platformRateId'),
      cell: ({ platformRateId }) => <Code copies={platformRateId}>{platformRateId}</Code>,
    },
    { key: 'roomType', header: t('hotels.mappings.roomType'), cell: ({ roomType }) => roomType },
    {
      key: 'lastAri',
      sorting: { by: ({ lastAriAt }) => lastAriAt },
      header: t('hotels.mappings.lastAri'),
      cell: ({ lastAriAt }) => <Time at={lastAriAt} zone={zone} />,
    },
  ]
  return (
    <DataTable
      caption={t('hotels.mappings.caption')}
      columns={columns}
      {...some}
      rowKey={({ platformRoomId, platformRateId }) => `${platformRoomId} ${platformRateId}`}
      empty={{ title: t('hotels.products.none'), hint: t('hotels.products.noneHint') }}
    />
  )
}

type TaxRow = ScopedTaxes['taxes'][number] & Pick<ScopedTaxes, 'roomId' | 'rateId'> & { key: string }

function HotelTaxes({ taxes, currency }: { taxes: readonly ScopedTaxes[]; currency: string }) {
  const { t } = useTranslation()
  const rows = taxes.flatMap(({ roomId, rateId, taxes: ofScope }) =>
    ofScope.map((tax, index): TaxRow => ({ ...tax, roomId, rateId, key: `${roomId} ${rateId} ${index}` })),
  )
  const some = useRowSteps(rows)
  return (
    <DataTable
      caption={t('hotels.taxes.caption')}
      columns={useColumns(currency)}
      {...some}
      rowKey={({ key }) => key}
      empty={{ title: t('hotels.taxes.none'), hint: t('hotels.taxes.noneHint') }}
    />
  )
}

function useColumns(currency: string): Column<TaxRow>[] {
  const { t } = useTranslation()
  const scopeOf = ({ roomId, rateId }: TaxRow): string => {
    if (roomId !== null && rateId !== null) return t('hotels.taxes.pair', { room: roomId, rate: rateId })
    if (roomId !== null) return t('hotels.taxes.room', { room: roomId })
    return rateId === null ? t('hotels.taxes.property') : t('hotels.taxes.rate', { rate: rateId })
  }
  return [
    { key: 'scope', header: t('hotels.taxes.scope'), cell: scopeOf },
    { key: 'type', header: t('hotels.taxes.type'), cell: ({ type }) => type },
    {
      key: 'value',
      header: t('hotels.taxes.value'),
      align: 'right',
      cell: ({ value, valueType, formerCurrency }) => (
        <span className="figures">
          {valueType === '%' ? `${String(value)}%` : `${String(value)} ${formerCurrency ?? currency}`}
          {formerCurrency !== undefined && ` (${t('hotels.taxes.former')})`}
        </span>
      ),
    },
    { key: 'on', header: t('hotels.taxes.on'), cell: ({ appliedOn }) => appliedOn },
    {
      key: 'per',
      header: t('hotels.taxes.per'),
      cell: ({ appliedPer }) => t(`hotels.taxes.perUnit.${appliedPer}`),
    },
    {
      key: 'included',
      header: t('hotels.taxes.included'),
      cell: ({ included }) => (included ? t('hotels.taxes.yes') : t('hotels.taxes.no')),
    },
    {
      key: 'payNow',
      header: t('hotels.taxes.payNow'),
      cell: ({ payNow }) => (payNow ? t('hotels.taxes.now') : t('hotels.taxes.later')),
    },
    {
      key: 'dates',
      header: t('hotels.taxes.dates'),
      cell: ({ startDate, endDate }) =>
        startDate === undefined || endDate === undefined
          ? t('hotels.taxes.always')
          : t('hotels.products.range', { from: dateText(startDate), to: dateText(endDate) }),
    },
  ]
}
