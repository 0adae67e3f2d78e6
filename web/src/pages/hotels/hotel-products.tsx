import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { HotelPage, HotelProduct } from '../../../../src/console-api/hotels/contract.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { JsonView } from '../../parts/values/json-view.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'
import { dateText } from '../../parts/values/time.tsx'
import classes from './hotels.module.css'
import { useRowSteps } from './use-row-steps.ts'

const kindOf: Readonly<Record<HotelProduct['status'], StatusKind>> = {
  active: 'good',
  archived: 'idle',
  no_ari: 'warn',
}

/** Rooms with their rates, occupancy, meals, policies and range of ARI. */
export function HotelProducts({ read: { hotel, products, moreProducts } }: { read: HotelPage }) {
  const { t } = useTranslation()
  const some = useRowSteps(products)
  return (
    <>
      <DataTable
        caption={t('hotels.products.caption')}
        columns={useColumns(hotel.hotelId)}
        {...some}
        rowKey={({ platformRoomId, platformRateId }) => `${platformRoomId} ${platformRateId}`}
        empty={{ title: t('hotels.products.none'), hint: t('hotels.products.noneHint') }}
      />
      {moreProducts > 0 && (
        <Text size="sm" mt="xs">
          {t('hotels.products.more', { count: moreProducts })}
        </Text>
      )}
    </>
  )
}

function useColumns(hotelId: number): Column<HotelProduct>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'room',
      sorting: { by: ({ roomName }) => roomName },
      header: t('hotels.products.room'),
      cell: ({ roomId, roomName, roomType }) => <Named name={roomName} code={`${roomId} · ${roomType}`} />,
    },
    {
      key: 'rate',
      sorting: { by: ({ rateName }) => rateName },
      header: t('hotels.products.rate'),
      cell: ({ rateId, rateName }) => <Named name={rateName} code={rateId} />,
    },
    {
      key: 'mealPlan',
      sorting: { by: ({ mealPlan }) => mealPlan },
      header: t('hotels.products.mealPlan'),
      cell: ({ mealPlan }) => mealPlan ?? '',
    },
    {
      key: 'occupancy',
      header: t('hotels.products.occupancy'),
      cell: ({ occupancy }) => <Guests occupancy={occupancy} />,
    },
    {
      key: 'policies',
      header: t('hotels.products.policies'),
      cell: (product) => <Policies product={product} />,
    },
    {
      key: 'nights',
      header: t('hotels.products.nights'),
      cell: (product) => <Nights hotelId={hotelId} product={product} />,
    },
  ]
}

function Named({ name, code }: { name: string; code: string }) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {code}
      </Text>
    </Stack>
  )
}

function Guests({
  occupancy: { maxOccupancy, maxAdult, maxChild, maxInfant },
}: Pick<HotelProduct, 'occupancy'>) {
  const { t } = useTranslation()
  const parts = [
    ...(maxAdult === undefined ? [] : [t('hotels.products.adults', { count: maxAdult })]),
    ...(maxChild === undefined ? [] : [t('hotels.products.children', { count: maxChild })]),
    ...(maxInfant === undefined ? [] : [t('hotels.products.infants', { count: maxInfant })]),
  ]
  const most = t('hotels.products.most', { max: maxOccupancy })
  return parts.length > 0 ? `${most} (${parts.join(', ')})` : most
}

function Policies({ product: { cancelPolicies, roomName, rateName } }: { product: HotelProduct }) {
  const { t } = useTranslation()
  if (cancelPolicies.length === 0)
    return <span className={classes['none']}>{t('hotels.products.noPolicy')}</span>
  return (
    <details>
      <summary className={classes['open']}>
        {t('hotels.products.policyCount', { count: cancelPolicies.length })}{' '}
        <Text span size="xs" c="dimmed">
          {cancelPolicies.map(({ code }) => code).join(', ')}
        </Text>
      </summary>
      <JsonView
        value={cancelPolicies}
        label={t('hotels.products.policiesOf', { room: roomName, rate: rateName })}
      />
    </details>
  )
}

function Nights({ hotelId, product }: { hotelId: number; product: HotelProduct }) {
  const { t } = useTranslation()
  const { status, roomId, rateId, ariFrom, ariTo, pricingModel } = product
  const model =
    pricingModel === 'unit' || pricingModel === 'guest' ? t(`hotels.products.model.${pricingModel}`) : ''
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge kind={kindOf[status]} label={t(`hotels.products.status.${status}`)} />
      {ariFrom !== null && ariTo !== null && (
        <LinkTo
          to="/hotels/$hotelId/calendar"
          params={{ hotelId: String(hotelId) }}
          search={{ from: ariFrom, room: roomId, rate: rateId, night: ariFrom }}
          fz="xs"
        >
          {t('hotels.products.range', { from: dateText(ariFrom), to: dateText(ariTo) })}
        </LinkTo>
      )}
      {model !== '' && (
        <Text size="xs" c="dimmed">
          {model}
        </Text>
      )}
    </Stack>
  )
}
