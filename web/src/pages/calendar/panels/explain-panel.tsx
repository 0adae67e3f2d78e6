import { Button, Group, List, NativeSelect, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { CalendarRate, CalendarRoom } from '../../../../../src/console-api/calendar/contract.ts'
import type {
  ExplainedRule,
  ExplainedStay,
} from '../../../../../src/console-api/calendar/explain-contract.ts'
import { ErrorNote } from '../../../parts/error-note.tsx'
import { Money } from '../../../parts/values/numbers.tsx'
import { StatusBadge } from '../../../parts/values/status-badge.tsx'
import { dateText } from '../../../parts/values/time.tsx'
import { type CalendarUrl, partyOf } from '../grid/calendar-url.ts'
import classes from '../calendar.module.css'
import { dayOf } from '../grid/days.ts'
import { Panel, Setter } from './panel.tsx'
import { Adults, StayDates } from './stay-fields.tsx'
import { useExplained } from '../grid/use-calendar.ts'
import { forbidText, heldText, nearestText, partyText, ruleLabel } from './words.ts'

/** Explains whether a stay can be booked at a rate: its price, or the reasons against it. */
export function ExplainPanel({
  hotelId,
  room,
  url,
  zone,
  takesFocus,
  onClose,
  set,
}: {
  hotelId: number
  room: CalendarRoom
  url: CalendarUrl
  zone: string
  takesFocus: boolean
  onClose: () => void
  set: (values: Partial<CalendarUrl>) => void
}) {
  const { t } = useTranslation()
  const { checkin, checkout } = url
  const { roomId } = room
  const rateId = rateOf(room, url.rate)?.rateId
  const [first, departure] = [dayOf(checkin), dayOf(checkout)]
  const isWhole = first !== undefined && departure !== undefined && departure > first
  const party = partyOf(url)
  const explained = useExplained(
    isWhole && rateId !== undefined
      ? { params: { hotelId }, body: { roomId, rateId, checkin, checkout, rooms: [party] } }
      : undefined,
  )
  return (
    <Panel title={t('calendar.explain.title')} takesFocus={takesFocus} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {room.name}
        </Text>
        <NativeSelect
          label={t('calendar.explain.rate')}
          value={rateId}
          onChange={(event) => set({ rate: event.currentTarget.value })}
          data={room.rates.map((rate) => ({ value: rate.rateId, label: rateText(t, rate) }))}
        />
        <Group gap="xs" grow>
          <StayDates url={url} set={set} />
        </Group>
        <Group gap="xs" align="flex-end">
          <Adults url={url} set={set} />
          <Text size="sm" py={6}>
            {t('calendar.explain.for', { party: partyText(t, party) })}
          </Text>
        </Group>
        {!isWhole && <Text size="sm">{t('calendar.explain.incomplete')}</Text>}
        {explained.error && <ErrorNote error={explained.error} onRetry={() => void explained.refetch()} />}
        {isWhole && explained.isPending && <Skeleton height={160} />}
        <div aria-live="polite">
          {explained.data && isWhole && <Answer stay={explained.data} url={url} zone={zone} set={set} />}
        </div>
      </Stack>
    </Panel>
  )
}

/** The requested rate; for a room alone, the first rate available to the party, or else its first rate. */
function rateOf({ rates }: CalendarRoom, wanted: string): CalendarRate | undefined {
  if (wanted !== '') return rates.find(({ rateId }) => rateId === wanted)
  return rates.find(({ isAvailable, takesParty }) => isAvailable && takesParty) ?? rates[0]
}

function rateText(t: TFunction, { name, rateId, isAvailable, takesParty }: CalendarRate): string {
  const faults = [
    ...(isAvailable ? [] : [t('calendar.archived')]),
    ...(takesParty ? [] : [t('calendar.tooMany')]),
  ]
  return [`${name} (${rateId})`, ...faults].join(' · ')
}

function Answer({
  stay,
  url,
  zone,
  set,
}: {
  stay: ExplainedStay
  url: CalendarUrl
  zone: string
  set: (values: Partial<CalendarUrl>) => void
}) {
  const { t } = useTranslation()
  const { isBookable, offer, currency, nearest, rules } = stay
  const failing = rules.filter(({ pass }) => !pass)
  const passing = rules.filter(({ pass }) => pass)
  return (
    <Stack gap="md">
      <StatusBadge
        kind={isBookable ? 'good' : 'bad'}
        label={t(isBookable ? 'calendar.explain.bookable' : 'calendar.explain.notBookable')}
      />
      {offer && <Offer offer={offer} currency={currency} />}
      {failing.length > 0 && (
        <div>
          <Title order={3} mb={4}>
            {t('calendar.explain.why')}
          </Title>
          <List listStyleType="none" spacing="xs">
            {failing.map((rule) => (
              <List.Item key={keyOf(rule)}>
                <FailingRule rule={rule} party={partyOf(url)} zone={zone} />
              </List.Item>
            ))}
          </List>
        </div>
      )}
      {nearest && (
        <Group gap="xs">
          <Text size="sm">{t('calendar.explain.nearest', { change: nearestText(t, nearest, url) })}</Text>
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => set({ checkin: nearest.checkin, checkout: nearest.checkout })}
          >
            {t('calendar.explain.tryIt')}
          </Button>
        </Group>
      )}
      <details>
        <summary>{t('calendar.explain.passed', { count: passing.length })}</summary>
        <table className={`${classes['values'] ?? ''} ${classes['setValues'] ?? ''}`}>
          <tbody>
            {passing.map((rule) => (
              <tr key={keyOf(rule)}>
                <th scope="row">{ruleLabel(t, rule.rule)}</th>
                <td>{heldText(t, rule, currency)}</td>
                <td>{rule.setBy === null ? null : <Setter setBy={rule.setBy} zone={zone} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Stack>
  )
}

function Offer({ offer, currency }: { offer: NonNullable<ExplainedStay['offer']>; currency: string }) {
  const { t } = useTranslation()
  const { total, rooms, taxes, unitsLeft, cancelPolicy, fees } = offer
  const nights = rooms[0]?.nights ?? []
  return (
    <table className={classes['values']}>
      <caption hidden>{t('calendar.explain.costs')}</caption>
      <tbody>
        {nights.map(({ date, amount }) => (
          <tr key={date}>
            <th scope="row">{dateText(date)}</th>
            <td>
              <Money amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
        {taxes.map(({ type, included, payNow, amount }, index) => (
          <tr key={index}>
            <th scope="row">
              {type} (
              {t(
                included
                  ? 'calendar.explain.included'
                  : payNow
                    ? 'calendar.explain.added'
                    : 'calendar.explain.atProperty',
              )}
              )
            </th>
            <td>
              <Money amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">
            <strong>{t('calendar.explain.total')}</strong>
          </th>
          <td>
            <strong>
              <Money amount={total.afterTax} currency={currency} />
            </strong>
          </td>
        </tr>
        <tr>
          <th scope="row">{t('calendar.explain.dueAtProperty')}</th>
          <td>
            <Money amount={total.dueAtProperty} currency={currency} />
          </td>
        </tr>
        {fees.map(({ name, amount }, index) => (
          <tr key={index}>
            <th scope="row">
              {name} ({t('calendar.explain.fee')})
            </th>
            <td>
              <Money amount={amount} currency={currency} />
            </td>
          </tr>
        ))}
        <tr>
          <th scope="row">{t('calendar.explain.unitsLeft')}</th>
          <td>{unitsLeft}</td>
        </tr>
        <tr>
          <th scope="row">{t('calendar.explain.policy')}</th>
          <td>{cancelPolicy?.code ?? t('calendar.explain.noPolicy')}</td>
        </tr>
      </tbody>
    </table>
  )
}

function FailingRule({
  rule,
  party,
  zone,
}: {
  rule: ExplainedRule
  party: ReturnType<typeof partyOf>
  zone: string
}) {
  const { t } = useTranslation()
  return (
    <>
      <Text size="sm" fw={600}>
        {forbidText(t, rule, party)}
      </Text>
      {rule.setBy !== null && (
        <Text size="sm" component="div">
          <Setter setBy={rule.setBy} zone={zone} />
        </Text>
      )}
    </>
  )
}

function keyOf({ rule, of, dates, held, asked }: ExplainedRule): string {
  return JSON.stringify([rule, of, dates, held, asked])
}
