import { Button, Group, Timeline as Line, Stack, Text } from '@mantine/core'
import { CircleAlert, CircleCheck, CircleDashed, Clock, Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DisplayedAttempt, DisplayedDelivery } from '../../../../src/console-api/deliveries/contract.ts'
import { Code } from '../../parts/values/code.tsx'
import { ForManagers } from '../../parts/session.tsx'
import { Soon, Time } from '../../parts/values/time.tsx'
import classes from './deliveries.module.css'
import { DeliveryBadge, maySendAgain, OutcomeText } from './delivery-badge.tsx'
import { SendOneAgain } from './send-again.tsx'

/** Attempts shown at first; a click shows the others. */
const shownAtEnds = { first: 2, last: 5 }

/** One delivery with its attempts, oldest first, and the next one. */
export function DeliveryTimeline({
  delivery,
  zone,
  isNewest,
  hasUrl,
}: {
  delivery: DisplayedDelivery
  zone: string
  /** The current version of its reservation: only that can be sent again. */
  isNewest: boolean
  /** Of the supplier, for reservations. */
  hasUrl: boolean
}) {
  const { t } = useTranslation()
  const { state, version, attempts } = delivery
  const [isWhole, setIsWhole] = useState(false)
  const { timeline } = delivery
  const hidden = isWhole ? 0 : Math.max(0, timeline.length - shownAtEnds.first - shownAtEnds.last)
  const first = hidden > 0 ? timeline.slice(0, shownAtEnds.first) : timeline
  const last = hidden > 0 ? timeline.slice(-shownAtEnds.last) : []
  return (
    <article className={classes['delivery']} aria-label={t('deliveries.version', { version })}>
      <Group justify="space-between" gap="sm" mb="xs">
        <Group gap="xs">
          <Text fw={600} size="sm">
            {t('deliveries.version', { version })}
          </Text>
          <DeliveryBadge state={state} />
          {delivery.isRepeat && (
            <Text size="xs" c="dimmed">
              {t('deliveries.repeat')}
            </Text>
          )}
        </Group>
        {isNewest && (maySendAgain(delivery) || !hasUrl) && (
          <ForManagers>
            <SendOneAgain delivery={delivery} hasUrl={hasUrl} />
          </ForManagers>
        )}
      </Group>
      <Line bulletSize={20} lineWidth={2} active={timeline.length}>
        <Line.Item
          bullet={<CircleDashed size={12} aria-hidden />}
          title={<Text size="sm">{t('deliveries.timeline.queued')}</Text>}
        >
          <Text size="sm" component="div">
            <Time at={delivery.createdAt} zone={zone} />
          </Text>
        </Line.Item>
        {first.map((attempt) => itemOf(attempt, zone))}
        {hidden > 0 && (
          <Line.Item
            bullet={<Ellipsis size={12} aria-hidden />}
            title={
              <Button variant="default" onClick={() => setIsWhole(true)}>
                {t('deliveries.timeline.more', { count: hidden })}
              </Button>
            }
          />
        )}
        {last.map((attempt) => itemOf(attempt, zone))}
        {(delivery.dueAt !== null || delivery.isForHourlyRun) && (
          <Line.Item
            bullet={<Clock size={12} aria-hidden />}
            title={<Text size="sm">{t('deliveries.timeline.next')}</Text>}
          >
            <Text size="sm" component="div">
              {delivery.dueAt === null ? t('deliveries.hourlyRun') : <Soon at={delivery.dueAt} />}
              {' · '}
              {t('deliveries.timeline.givesUp')} <Time at={delivery.giveUpAt} />
            </Text>
          </Line.Item>
        )}
      </Line>
      {timeline.length === 0 && attempts > 0 && (
        <Text size="xs" c="dimmed">
          {t('deliveries.timeline.dropped')}
        </Text>
      )}
      <Text size="xs" c="dimmed" component="div" mt="xs">
        {t('deliveries.timeline.id')} <Code copies={t('deliveries.timeline.id')}>{delivery.deliveryId}</Code>
      </Text>
      <Text size="xs" c="dimmed">
        {t('deliveries.column.endpoint')}{' '}
        {delivery.endpoint === null
          ? t('deliveries.nowhere')
          : (delivery.endpoint.place ?? t('deliveries.formerUrl'))}
      </Text>
    </article>
  )
}

/** Not a component, because the timeline inspects the type of its items. */
function itemOf(attempt: DisplayedAttempt, zone: string) {
  const isGood = attempt.outcome === 'accepted'
  const Icon = isGood ? CircleCheck : CircleAlert
  return (
    <Line.Item
      key={attempt.attempt}
      color={isGood ? 'teal' : 'red'}
      bullet={<Icon size={14} aria-hidden />}
      title={<AttemptTitle attempt={attempt} />}
    >
      <Attempt attempt={attempt} zone={zone} />
    </Line.Item>
  )
}

function AttemptTitle({
  attempt: { attempt, outcome, httpStatus, trigger, durationMs },
}: {
  attempt: DisplayedAttempt
}) {
  const { t } = useTranslation()
  return (
    <Text size="sm" fw={500}>
      <OutcomeText outcome={outcome} httpStatus={httpStatus} />{' '}
      <Text span c="dimmed" fw={400}>
        {t('deliveries.timeline.attempt', { attempt })} · {t(`deliveries.trigger.${trigger}`)} ·{' '}
        {t('deliveries.timeline.took', { ms: durationMs })}
      </Text>
    </Text>
  )
}

function Attempt({ attempt: { at, answer, ignored }, zone }: { attempt: DisplayedAttempt; zone: string }) {
  const { t } = useTranslation()
  return (
    <Stack gap={4}>
      <Text size="sm" component="div">
        <Time at={at} zone={zone} />
      </Text>
      {answer !== null && answer !== '' && (
        <details className={classes['answer']}>
          <summary>{t('deliveries.timeline.answer')}</summary>
          <pre tabIndex={0}>{answer}</pre>
        </details>
      )}
      {ignored?.map(({ path, message }) => (
        <Text key={path} size="xs" c="dimmed">
          {t('deliveries.timeline.ignored', { path, message })}
        </Text>
      ))}
    </Stack>
  )
}
