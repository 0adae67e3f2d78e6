import { Group } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NeighbourHotel } from '../../../../src/console-api/hotels/contract.ts'
import { useApi } from '../../api.ts'
import { ButtonTo, LinkTo } from '../../parts/link-to.tsx'
import { clockText } from '../../parts/values/time.tsx'
import classes from './hotels.module.css'

type Hotel = { hotelId: number; code: string; supplier: string; timeZone: string }
type To = '/hotels/$hotelId' | '/hotels/$hotelId/calendar'

/** Under the title of a hotel's pages: its code, supplier and local time. */
export function HotelLine({ hotel: { hotelId, code, supplier, timeZone } }: { hotel: Hotel }) {
  const { t } = useTranslation()
  const { data, dataUpdatedAt } = useApi('getHotelNeighbours', { params: { hotelId } })
  const nowMs = useNow(data && Date.parse(data.now) - dataUpdatedAt)
  const clock = nowMs === undefined ? undefined : clockText(nowMs, timeZone)
  return (
    <span className={classes['line']}>
      <span>{code}</span>
      {data === undefined ? (
        <span>{supplier}</span>
      ) : (
        <span>
          <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(data.supplierId) }}>
            {supplier}
          </LinkTo>
        </span>
      )}
      {clock !== undefined && <span>{t('hotels.localTime', { time: clock, zone: timeZone })}</span>}
    </span>
  )
}

const tickMs = 10_000

/** The service's time, which goes on while the page is open; undefined until it is known. */
function useNow(aheadMs: number | undefined): number | undefined {
  const [nowMs, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return aheadMs === undefined ? undefined : nowMs + aheadMs
}

/** The same page of the supplier's hotels before and after this one by name. */
export function NeighbourButtons({ hotelId, to }: { hotelId: number; to: To }) {
  const { t } = useTranslation()
  const { data } = useApi('getHotelNeighbours', { params: { hotelId } })
  if (!data || (data.previous === null && data.next === null)) return null
  return (
    <Group component="nav" aria-label={t('hotels.neighbours')} gap={4} wrap="nowrap">
      <Neighbour hotel={data.previous} to={to} label="previous" />
      <Neighbour hotel={data.next} to={to} label="next" />
    </Group>
  )
}

function Neighbour({
  hotel,
  to,
  label,
}: {
  hotel: NeighbourHotel | null
  to: To
  label: 'previous' | 'next'
}) {
  const { t } = useTranslation()
  const Icon = label === 'previous' ? ChevronLeft : ChevronRight
  if (hotel === null) return null
  const text = t(`hotels.${label}`, { name: hotel.name })
  return (
    <ButtonTo
      to={to}
      params={{ hotelId: String(hotel.hotelId) }}
      // The view stays; what was chosen belongs to the other hotel.
      search={({
        from,
        density,
        adults,
        childAges,
        rows,
        tab,
      }: Readonly<Record<string, string | undefined>>) => ({
        from,
        density,
        adults,
        childAges,
        rows,
        tab,
      })}
      variant="default"
      px={6}
      aria-label={text}
      title={text}
    >
      <Icon size={16} aria-hidden />
    </ButtonTo>
  )
}
