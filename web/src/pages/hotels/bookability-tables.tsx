import { Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ExplainedRoomRate } from '../../../../src/console-api/calendar/explain-contract.ts'
import type { HotelPage } from '../../../../src/console-api/hotels/contract.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Money } from '../../parts/values/numbers.tsx'
import type { CalendarUrl } from '../calendar/grid/calendar-url.ts'
import { nearestText } from '../calendar/panels/words.ts'
import { useRowSteps } from './use-row-steps.ts'

export function RoomRateLink({
  roomRate: { roomId, roomName, rateId, rateName },
  url: { checkin, checkout, adults, childAges },
  hotelId,
}: {
  roomRate: ExplainedRoomRate
  url: Pick<CalendarUrl, 'checkin' | 'checkout' | 'adults' | 'childAges'>
  hotelId: number
}) {
  return (
    <LinkTo
      to="/hotels/$hotelId/calendar"
      params={{ hotelId: String(hotelId) }}
      search={{ from: checkin, room: roomId, rate: rateId, checkin, checkout, adults, childAges }}
      title={`${roomId} / ${rateId}`}
    >
      {roomName} / {rateName}
    </LinkTo>
  )
}

export function keyOf({ roomId, rateId }: ExplainedRoomRate): string {
  return JSON.stringify([roomId, rateId])
}

function useRoomRateColumn(url: CalendarUrl, hotelId: number): Column<ExplainedRoomRate> {
  const { t } = useTranslation()
  return {
    key: 'roomRate',
    header: t('hotels.why.roomRate'),
    cell: (roomRate) => <RoomRateLink roomRate={roomRate} url={url} hotelId={hotelId} />,
  }
}

/** What would make each room-rate bookable, as far as other dates do. */
export function NearestStays({
  roomRates,
  url,
  hotel,
}: {
  roomRates: readonly ExplainedRoomRate[]
  url: CalendarUrl
  hotel: HotelPage['hotel']
}) {
  const { t } = useTranslation()
  const columns: Column<ExplainedRoomRate>[] = [
    useRoomRateColumn(url, hotel.hotelId),
    {
      key: 'nearest',
      header: t('hotels.why.nearest'),
      cell: (roomRate) =>
        roomRate.nearest === null ? (
          t('hotels.why.noNearest')
        ) : (
          <LinkTo
            to="/hotels/$hotelId/calendar"
            params={{ hotelId: String(hotel.hotelId) }}
            search={{
              from: roomRate.nearest.checkin,
              room: roomRate.roomId,
              rate: roomRate.rateId,
              checkin: roomRate.nearest.checkin,
              checkout: roomRate.nearest.checkout,
              adults: url.adults,
              childAges: url.childAges,
            }}
          >
            {nearestText(t, roomRate.nearest, url)}
          </LinkTo>
        ),
    },
  ]
  const some = useRowSteps(roomRates)
  return (
    <section aria-label={t('hotels.why.otherDates')}>
      <Title order={2} mb="xs">
        {t('hotels.why.otherDates')}
      </Title>
      <DataTable
        caption={t('hotels.why.otherDates')}
        columns={columns}
        rowKey={keyOf}
        empty={{ title: '' }}
        {...some}
      />
    </section>
  )
}

export function Bookable({
  roomRates,
  currency,
  url,
  hotel,
}: {
  roomRates: readonly ExplainedRoomRate[]
  currency: string
  url: CalendarUrl
  hotel: HotelPage['hotel']
}) {
  const { t } = useTranslation()
  const columns: Column<ExplainedRoomRate>[] = [
    useRoomRateColumn(url, hotel.hotelId),
    {
      key: 'total',
      header: t('calendar.explain.total'),
      align: 'right',
      cell: ({ total }) => <Money amount={total ?? ''} currency={currency} />,
    },
    {
      key: 'units',
      header: t('calendar.explain.unitsLeft'),
      align: 'right',
      cell: ({ unitsLeft }) => <span className="figures">{unitsLeft}</span>,
    },
  ]
  const some = useRowSteps(roomRates)
  return (
    <section aria-label={t('hotels.why.bookable')}>
      <Title order={2} mb="xs">
        {t('hotels.why.bookable')}
      </Title>
      <DataTable
        caption={t('hotels.why.bookable')}
        columns={columns}
        rowKey={keyOf}
        empty={{ title: '' }}
        {...some}
      />
    </section>
  )
}
