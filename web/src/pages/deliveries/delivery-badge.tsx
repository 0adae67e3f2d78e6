import { Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  ReservationNote,
  DeliveryState,
  ListedDelivery,
} from '../../../../src/console-api/deliveries/contract.ts'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'
import { deliveries } from '../../text/en/deliveries.ts'
import classes from './deliveries.module.css'

export function NoWrap({ children }: { children: ReactNode }) {
  return <span className={classes['whole']}>{children}</span>
}

export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const { t } = useTranslation()
  return (
    <NoWrap>
      <StatusBadge kind={kindByState[state]} label={t(`deliveries.state.${state}`)} />
    </NoWrap>
  )
}

/** The outcome of an attempt, with the HTTP status if there was a response. */
export function OutcomeText({ outcome, httpStatus }: { outcome: string; httpStatus: number | null }) {
  const { t } = useTranslation()
  const label = outcomeLabel(t, outcome)
  return (
    <>{httpStatus === null ? label : `${label}, ${t('deliveries.timeline.http', { status: httpStatus })}`}</>
  )
}

export function ReservationStatus({ status }: { status: 'Confirm' | 'Cancel' }) {
  const { t } = useTranslation()
  const kind = status === 'Confirm' ? 'info' : 'idle'
  return (
    <NoWrap>
      <StatusBadge kind={kind} label={t(`reservations.status.${status}`)} />
    </NoWrap>
  )
}

/** An alert was raised because the reservation is late. */
export function AlertBadge() {
  const { t } = useTranslation()
  return (
    <NoWrap>
      <StatusBadge kind="bad" label={t('deliveries.alerted')} />
    </NoWrap>
  )
}

/** The appearance of deliveries everywhere. */

const kindByState: Readonly<Record<DeliveryState, StatusKind>> = {
  queued: 'wait',
  sending: 'wait',
  failing: 'warn',
  no_url: 'warn',
  dead: 'bad',
  delivered: 'good',
  superseded: 'idle',
}

type KnownOutcome = keyof typeof deliveries.outcome

export function outcomeLabel(t: TFunction, outcome: string): string {
  return isKnownOutcome(outcome) ? t(`deliveries.outcome.${outcome}`) : outcome.replaceAll('_', ' ')
}

function isKnownOutcome(outcome: string): outcome is KnownOutcome {
  return Object.hasOwn(deliveries.outcome, outcome)
}

/** The states that can be sent again: a supplier must not get an older version after a newer one. */
export function maySendAgain({ state, isPresent }: Pick<ListedDelivery, 'state' | 'isPresent'>): boolean {
  return isPresent && state !== 'superseded' && state !== 'sending' && state !== 'no_url'
}

const linesMax = 3

/** The latest note on a reservation, in a table cell. */
export function LastNote({ note }: { note: ReservationNote | null }) {
  if (note === null) return null
  const { operator, text } = note
  return (
    <Text size="xs" className={classes['note']} lineClamp={linesMax} title={`${operator}: ${text}`}>
      {operator}: {text}
    </Text>
  )
}
