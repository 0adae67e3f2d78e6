import { CircleAlert, CircleCheck, CircleHelp, Clock, TriangleAlert, type LucideIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Reach } from '../../../../src/console/bookings/contract.ts'
import { Ago, Time } from '../../parts/time.tsx'
import classes from './reservations.module.css'

type Look = { kind: 'good' | 'wait' | 'warn' | 'bad' | 'idle'; Icon: LucideIcon }

const lookByReach: Readonly<Record<Reach['kind'], Look>> = {
  reached: { kind: 'good', Icon: CircleCheck },
  acknowledged: { kind: 'good', Icon: CircleCheck },
  on_its_way: { kind: 'wait', Icon: Clock },
  failing: { kind: 'warn', Icon: TriangleAlert },
  no_url: { kind: 'warn', Icon: TriangleAlert },
  given_up: { kind: 'bad', Icon: CircleAlert },
  unknown: { kind: 'idle', Icon: CircleHelp },
}

/** Answers the first question: did the booking reach the hotel? */
export function ReachBanner({ reach, version, zone }: { reach: Reach; version: number; zone: string }) {
  const { t } = useTranslation()
  const { kind: reached, at, attempts, nextAt, earlierVersion } = reach
  const { kind, Icon } = lookByReach[reached]
  const isThere = kind === 'good'
  return (
    <div className={classes['reach']} data-kind={kind} role="status">
      <Icon size={28} aria-hidden />
      <div>
        <p className={classes['reachTitle']}>{t(`reservations.reach.${reached}`)}</p>
        <p className={classes['reachText']}>
          {t(`reservations.reach.${reached}Text`, { version, attempts, count: attempts })}{' '}
          {!isThere && reached !== 'unknown' && (
            <>
              {earlierVersion === null
                ? t('reservations.reach.never')
                : t('reservations.reach.earlier', { version: earlierVersion })}
            </>
          )}
        </p>
        {at !== null && (
          <p className={classes['reachText']}>
            {isThere ? t('reservations.reach.arrived') : t('reservations.reach.since')} <Ago at={at} />
            {': '}
            <Time at={at} zone={zone} />
          </p>
        )}
        {reached === 'failing' && (
          <p className={classes['reachText']}>
            {t('reservations.reach.next')}{' '}
            {nextAt === null ? t('reservations.reach.hourly') : <Ago at={nextAt} />}
          </p>
        )}
      </div>
    </div>
  )
}
