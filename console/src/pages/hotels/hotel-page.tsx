import { Alert, Group, Skeleton, Stack, Tabs } from '@mantine/core'
import { CalendarDays } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { HotelPage as HotelRead } from '../../../../src/console/hotels/contract.ts'
import { useApi } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useFilter } from '../../parts/filters.tsx'
import { useIdParam } from '../../parts/ids.ts'
import { ButtonTo, LinkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Checklist } from './checklist.tsx'
import { OpenBadge } from './hotel-badges.tsx'
import { HotelDetails } from './hotel-details.tsx'
import { HotelMappings } from './hotel-mappings.tsx'
import { HotelProducts } from './hotel-products.tsx'
import { HotelTaxes } from './hotel-taxes.tsx'

const tabs = ['checklist', 'details', 'products', 'taxes', 'mappings'] as const

export function HotelPage() {
  const { t } = useTranslation()
  const hotelId = useIdParam('hotelId')
  const { data, error, refetch } = useApi('getHotel', { params: { hotelId } })
  const crumbs = [
    <LinkTo key="hotels" to="/hotels" fz="xs">
      {t('hotels.title')}
    </LinkTo>,
  ]
  if (!data) {
    return (
      <Page title={t('hotels.hotelTitle')} crumbs={crumbs}>
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Skeleton height={240} />}
      </Page>
    )
  }
  const { hotel } = data
  const params = { hotelId: String(hotelId) }
  return (
    <Page
      title={hotel.name}
      crumbs={crumbs}
      beside={<OpenBadge isAvailable={hotel.isAvailable} />}
      intro={`${hotel.code} · ${hotel.supplier}`}
      actions={
        <Group gap="xs">
          <ButtonTo
            to="/hotels/$hotelId/calendar"
            params={params}
            leftSection={<CalendarDays size={14} aria-hidden />}
          >
            {t('hotels.toCalendar')}
          </ButtonTo>
          <ButtonTo to="/pushes" search={params} variant="default">
            {t('hotels.toPushes')}
          </ButtonTo>
          <ButtonTo to="/reservations" search={params} variant="default">
            {t('hotels.toReservations')}
          </ButtonTo>
        </Group>
      }
    >
      <Parts read={data} />
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
          <Checklist steps={read.checklist} zone={read.hotel.timeZone} />
        </Stack>
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
