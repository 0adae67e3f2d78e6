import { Button, Group, List, NumberInput, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ExplainedRule, ExplainedStay } from '../../../../src/console/calendar-contract.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Money } from '../../parts/money.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { dateText } from '../../parts/time-text.ts'
import classes from './calendar.module.css'
import { partyOf, type CalendarUrl } from './calendar-url.ts'
import { dateOf, dayOf } from './days.ts'
import { Panel } from './panel.tsx'
import { Setter } from './setter.tsx'
import { useExplained } from './use-calendar.ts'

/** Whether a stay can be booked at a room-rate, and what it costs or what forbids it. */
export function ExplainPanel({
  hotelId,
  url,
  names,
  zone,
  takesFocus,
  onClose,
  set,
}: {
  hotelId: number
  url: CalendarUrl
  names: readonly string[]
  zone: string
  takesFocus: boolean
  onClose: () => void
  set: (values: Partial<CalendarUrl>) => void
}) {
  const { t } = useTranslation()
  const { room: roomId, rate: rateId, checkin, checkout } = url
  const [first, departure] = [dayOf(checkin), dayOf(checkout)]
  const isWhole = first !== undefined && departure !== undefined && departure > first && rateId !== ''
  const party = partyOf(url)
  const explained = useExplained(
    isWhole
      ? { params: { hotelId }, body: { roomId, rateId, checkin, checkout, rooms: [party] } }
      : undefined,
  )
  return (
    <Panel title={t('calendar.explain.title')} takesFocus={takesFocus} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {names.join(' · ')}
        </Text>
        <Group gap="xs" grow>
          <TextInput
            type="date"
            label={t('calendar.explain.checkin')}
            value={checkin}
            onChange={(event) => set({ checkin: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label={t('calendar.explain.checkout')}
            value={checkout}
            onChange={(event) => set({ checkout: event.currentTarget.value })}
          />
        </Group>
        <NumberInput
          w={90}
          label={t('calendar.adults')}
          min={1}
          max={99}
          value={party.adults}
          onChange={(value) => set({ adults: String(value) })}
        />
        {!isWhole && <Text size="sm">{t('calendar.explain.incomplete')}</Text>}
        {explained.error && <ErrorNote error={explained.error} onRetry={() => void explained.refetch()} />}
        {isWhole && explained.isPending && <Skeleton height={160} />}
        <div aria-live="polite">
          {explained.data && isWhole && <Answer stay={explained.data} zone={zone} set={set} />}
        </div>
      </Stack>
    </Panel>
  )
}

function Answer({
  stay,
  zone,
  set,
}: {
  stay: ExplainedStay
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
                <FailingRule rule={rule} zone={zone} />
              </List.Item>
            ))}
          </List>
        </div>
      )}
      {nearest && (
        <Group gap="xs">
          <Text size="sm">{t('calendar.explain.nearest', { change: nearest.change })}</Text>
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
        <table className={classes['values']}>
          <tbody>
            {passing.map((rule) => (
              <tr key={keyOf(rule)}>
                <th scope="row">{t(`calendar.rules.${rule.rule}`)}</th>
                <td>{shown(rule.held)}</td>
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
  const { total, rooms, taxes, unitsLeft, cancelPolicy } = offer
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

function FailingRule({ rule, zone }: { rule: ExplainedRule; zone: string }) {
  const { t } = useTranslation()
  const { dates, held, asked, missing, of, reason, setBy } = rule
  return (
    <>
      <Text size="sm" fw={600}>
        {t(`calendar.rules.${rule.rule}`)}
        {of === 'room' && ` ${t('calendar.cell.ofRoom')}`}
      </Text>
      <Text size="sm">
        {t('calendar.explain.heldAsked', { held: shown(held), asked: shown(asked) })}
        {missing && ` ${t('calendar.explain.missing', { what: `${missing.guests} ${missing.ageCategory}` })}`}
        {reason !== undefined && ` ${reason}`}
      </Text>
      {dates.length > 0 && (
        <Text size="xs" c="dimmed">
          {rangesOf(dates).join(', ')}
        </Text>
      )}
      {setBy !== null && (
        <Text size="sm" component="div">
          <Setter setBy={setBy} zone={zone} />
        </Text>
      )}
    </>
  )
}

function keyOf({ rule, of, dates, held, asked }: ExplainedRule): string {
  return JSON.stringify([rule, of, dates, held, asked])
}

function shown(value: unknown): string {
  if (value === null) return '–'
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, held]) => `${name} ${String(held)}`)
      .join(', ')
  return JSON.stringify(value).replaceAll('"', '')
}

/** Days that follow each other as one range. */
function rangesOf(dates: readonly string[]): string[] {
  const ranges: { first: string; last: string }[] = []
  for (const date of dates) {
    const last = ranges.at(-1)
    if (last && date === dateOf((dayOf(last.last) ?? 0) + 1)) last.last = date
    else ranges.push({ first: date, last: date })
  }
  return ranges.map(({ first, last }) =>
    first === last ? dateText(first) : `${dateText(first)} – ${dateText(last)}`,
  )
}
