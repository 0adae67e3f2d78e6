import { Group, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type {
  ExplainedHotel,
  ExplainedRoomRate,
  ExplainedRule,
} from '../../../../src/console-api/calendar/explain-contract.ts'
import type { HotelPage } from '../../../../src/console-api/hotels/contract.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { TextFilter } from '../../parts/lists/filters.tsx'
import { PageWait } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { type CalendarUrl, partyOf, useCalendarUrl } from '../calendar/grid/calendar-url.ts'
import { dateOf, dayOf } from '../calendar/grid/days.ts'
import { Setter } from '../calendar/panels/panel.tsx'
import { Adults, StayDates } from '../calendar/panels/stay-fields.tsx'
import { useExplainedHotel } from '../calendar/grid/use-calendar.ts'
import { forbidText, ruleLabel } from '../calendar/panels/words.ts'
import { Bookable, keyOf, NearestStays, RoomRateLink } from './bookability-tables.tsx'
import classes from './hotels.module.css'

/** Why guests can't book a stay: every room-rate at once, the failures grouped by reason. */
export function Bookability({ hotel, today }: Pick<HotelPage, 'hotel' | 'today'>) {
  const { t } = useTranslation()
  const [url, set] = useStayUrl(today)
  const party = partyOf(url)
  const [first, departure] = [dayOf(url.checkin), dayOf(url.checkout)]
  const isWhole = first !== undefined && departure !== undefined && departure > first
  const { checkin, checkout } = url
  const found = useExplainedHotel(
    isWhole ? { params: { hotelId: hotel.hotelId }, body: { checkin, checkout, rooms: [party] } } : undefined,
  )
  return (
    <Stack gap="md">
      <Group component="search" aria-label={t('hotels.why.stay')} gap="xs" align="flex-end">
        <StayDates url={url} set={set} />
        <Adults url={url} set={set} />
        <TextFilter
          name="childAges"
          label={t('calendar.childAges')}
          placeholder={t('calendar.childAgesExample')}
          width={120}
        />
      </Group>
      {!isWhole && <Text size="sm">{t('calendar.explain.incomplete')}</Text>}
      {found.error && !found.data && <ErrorNote error={found.error} onRetry={() => void found.refetch()} />}
      {isWhole && found.isPending && <PageWait />}
      {isWhole && found.data && <Explained found={found.data} url={url} hotel={hotel} />}
    </Stack>
  )
}

/** The stay in the URL; without one, tomorrow's night at the hotel. */
function useStayUrl(today: string): ReturnType<typeof useCalendarUrl> {
  const [url, set] = useCalendarUrl()
  const tomorrow = (dayOf(today) ?? 0) + 1
  const checkin = url.checkin === '' ? dateOf(tomorrow) : url.checkin
  const night = dayOf(checkin)
  const checkout = url.checkout === '' && night !== undefined ? dateOf(night + 1) : url.checkout
  return [{ ...url, checkin, checkout }, (values) => set({ checkin, checkout, ...values })]
}

function Explained({
  found,
  url,
  hotel,
}: {
  found: ExplainedHotel
  url: CalendarUrl
  hotel: HotelPage['hotel']
}) {
  const { t } = useTranslation()
  const { roomRates, roomRateCount, currency } = found
  const bookable = roomRates.filter(({ total }) => total !== null)
  const others = roomRates.filter(({ total }) => total === null)
  const label = t('hotels.why.summary', { bookable: bookable.length, count: roomRates.length })
  const kind = bookable.length === 0 ? 'bad' : others.length === 0 ? 'good' : 'warn'
  return (
    <Stack gap="lg">
      <div role="status">
        {roomRates.length === 0 ? (
          <Text size="sm">{t('hotels.products.noneHint')}</Text>
        ) : (
          <StatusBadge kind={kind} label={label} />
        )}
        {roomRateCount > roomRates.length && (
          <Text size="sm">{t('hotels.why.first', { count: roomRates.length, all: roomRateCount })}</Text>
        )}
      </div>
      {reasonsOf(others).map(({ rule, causes, count }) => (
        <section key={rule} aria-label={ruleLabel(t, rule)}>
          <Title order={2} mb={4}>
            {ruleLabel(t, rule)}{' '}
            <Text span c="dimmed" size="sm">
              {t('hotels.why.affects', { count })}
            </Text>
          </Title>
          <Text size="sm" c="dimmed" mb={4}>
            {t(`hotels.why.remedy.${remedyOf(rule, causes)}`)}
          </Text>
          <ul className={classes['steps']}>
            {causes.map((cause) => (
              <Cause key={cause.key} cause={cause} url={url} hotel={hotel} />
            ))}
          </ul>
        </section>
      ))}
      {others.some(({ nearest }) => nearest !== null) && (
        <NearestStays roomRates={others} url={url} hotel={hotel} />
      )}
      {bookable.length > 0 && <Bookable roomRates={bookable} currency={currency} url={url} hotel={hotel} />}
    </Stack>
  )
}

type Cause = { key: string; rule: ExplainedRule; roomRates: ExplainedRoomRate[] }
type Reason = { rule: ExplainedRule['rule']; causes: Cause[]; count: number }

/** The failed rules, those of most room-rates first; within a rule, room-rates with the same value from the same push together. */
function reasonsOf(roomRates: readonly ExplainedRoomRate[]): Reason[] {
  const reasons = new Map<ExplainedRule['rule'], Map<string, Cause>>()
  for (const roomRate of roomRates) {
    for (const rule of roomRate.rules) {
      const causes = reasons.get(rule.rule) ?? new Map<string, Cause>()
      reasons.set(rule.rule, causes)
      const key = JSON.stringify(rule)
      const cause = causes.get(key) ?? { key, rule, roomRates: [] }
      causes.set(key, cause)
      if (cause.roomRates.at(-1) !== roomRate) cause.roomRates.push(roomRate)
    }
  }
  return [...reasons]
    .map(([rule, byKey]) => {
      const causes = [...byKey.values()].sort((one, other) => other.roomRates.length - one.roomRates.length)
      return { rule, causes, count: new Set(causes.flatMap((cause) => cause.roomRates)).size }
    })
    .sort((one, other) => other.count - one.count)
}

const remedies = [
  'hotelAvailable',
  'productAvailable',
  'arrivalDate',
  'occupancy',
  'inventory',
  'price',
  'closed',
  'stopSell',
  'taxes',
  'cancelPolicy',
  'total',
  'liveSoldOut',
] as const
type Remedy = (typeof remedies)[number] | 'restriction' | 'former'

function remedyOf(rule: ExplainedRule['rule'], causes: readonly Cause[]): Remedy {
  if (causes.every((cause) => cause.rule.pushAgain !== undefined)) return 'former'
  return remedies.find((name) => name === rule) ?? 'restriction'
}

const namedMax = 12

function Cause({
  cause: { rule, roomRates },
  url,
  hotel,
}: {
  cause: Cause
  url: CalendarUrl
  hotel: HotelPage['hotel']
}) {
  const { t } = useTranslation()
  return (
    <li className={classes['cause']}>
      <Text size="sm" fw={600}>
        {forbidText(t, rule, partyOf(url))}
      </Text>
      {rule.setBy !== null && (
        <Text size="sm" component="div">
          <Setter setBy={rule.setBy} zone={hotel.timeZone} />
        </Text>
      )}
      <Text size="xs" component="div" className={classes['named']}>
        {roomRates.slice(0, namedMax).map((roomRate) => (
          <RoomRateLink key={keyOf(roomRate)} roomRate={roomRate} url={url} hotelId={hotel.hotelId} />
        ))}
        {roomRates.length > namedMax && t('hotels.why.more', { count: roomRates.length - namedMax })}
      </Text>
    </li>
  )
}
