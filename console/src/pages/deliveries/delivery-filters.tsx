import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { UndeliveredFilter } from '../../../../src/console/deliveries/contract.ts'
import { Filters, SelectFilter, TextFilter, useFilter } from '../../parts/filters.tsx'
import { HotelFilter } from '../../parts/hotel-filter.tsx'
import { SupplierFilter } from '../../parts/supplier-filter.tsx'

/** The filters of the page; all are in the URL. */

/** The first is the default. */
export const viewNames = [
  'undelivered',
  'failing',
  'dead',
  'no_url',
  'delivered',
  'superseded',
  'all',
] as const
export type ViewName = (typeof viewNames)[number]
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

export function useDeliveryFilter(): DeliveryFilter {
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

export function DeliveryFilters({ view }: { view: ViewName }) {
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
