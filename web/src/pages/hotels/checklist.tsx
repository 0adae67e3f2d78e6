import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ChecklistStep, NamedPush } from '../../../../src/console-api/hotels/contract.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'
import { Time } from '../../parts/values/time.tsx'
import classes from './hotels.module.css'
import { UnneededStep } from './unneeded-step.tsx'

const kindOf: Readonly<Record<ChecklistStep['status'], StatusKind>> = {
  done: 'good',
  missing: 'warn',
  notNeeded: 'idle',
}

/** The steps of the specification, each with the push that completed it or the next action. */
export function Checklist({
  steps,
  zone,
  supplier,
}: {
  steps: readonly ChecklistStep[]
  zone: string
  supplier: { supplierId: number; supplier: string }
}) {
  const { t } = useTranslation()
  return (
    <ol className={classes['steps']} aria-label={t('hotels.check.caption')}>
      {steps.map((step, index) => (
        <li key={step.step} className={classes['step']}>
          <span className={classes['stepNumber']} aria-hidden>
            {index + 1}
          </span>
          <div className={classes['stepBody']}>
            <div className={classes['stepTop']}>
              <Text component="h2" fw={600} size="sm">
                {t(`hotels.check.${step.step}.name`)}
              </Text>
              <StatusBadge kind={kindOf[step.status]} label={t(`hotels.check.status.${step.status}`)} />
            </div>
            <Shown step={step} zone={zone} />
            <UnneededStep step={step} supplier={supplier} />
          </div>
        </li>
      ))}
    </ol>
  )
}

function Shown({ step, zone }: { step: ChecklistStep; zone: string }) {
  const { t } = useTranslation()
  const { status, reason, proof, refusedSince, at, url, fault, unneeded } = step
  return (
    <>
      {status !== 'done' && unneeded === undefined && (
        <Text size="sm">
          {t(reason === 'FORMER_CURRENCY' ? 'hotels.check.former' : `hotels.check.${step.step}.next`)}
        </Text>
      )}
      {url !== undefined && (
        <Text size="sm" className={classes['url']}>
          {url}
        </Text>
      )}
      {fault !== undefined && <Text size="sm">{t('hotels.check.notCallable', { fault })}</Text>}
      {status === 'done' && (
        <Text size="sm" c="dimmed" component="div">
          {proof ? (
            <>
              {t('hotels.check.provedBy')} <PushLink push={proof} zone={zone} />
            </>
          ) : (
            <>
              <div>{t('hotels.check.provedGone')}</div>
              <Time at={at} zone={zone} />
            </>
          )}
        </Text>
      )}
      {refusedSince && (
        <Text size="sm" component="div">
          {refusedSince.pushId === proof?.pushId ? (
            t('hotels.check.inPart')
          ) : (
            <>
              {t(status === 'done' ? 'hotels.check.refusedSince' : 'hotels.check.tried')}{' '}
              <PushLink push={refusedSince} zone={zone} />
            </>
          )}
        </Text>
      )}
    </>
  )
}

/** A push by its time: its page has the request ID. */
export function PushLink({ push: { pushId, at }, zone }: { push: NamedPush; zone: string }) {
  return (
    <LinkTo to="/pushes/$pushId" params={{ pushId: String(pushId) }} className={classes['push']}>
      <Time at={at} zone={zone} />
    </LinkTo>
  )
}
