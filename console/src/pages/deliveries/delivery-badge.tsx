import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { DeliveryState } from '../../../../src/console/deliveries/contract.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import classes from './cells.module.css'
import { isKnownOutcome, kindByState } from './delivery-look.ts'

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
  const said = isKnownOutcome(outcome) ? t(`deliveries.outcome.${outcome}`) : outcome
  return (
    <>{httpStatus === null ? said : `${said}, ${t('deliveries.timeline.http', { status: httpStatus })}`}</>
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
