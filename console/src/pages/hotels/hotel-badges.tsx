import { useTranslation } from 'react-i18next'
import type { GoLiveStage } from '../../../../src/console/hotels/contract.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import classes from './hotels.module.css'

/** The go-live stage of a hotel. */
export function StageBadge({ stage }: { stage: GoLiveStage }) {
  const { t } = useTranslation()
  return (
    <span className={classes['badge']}>
      <StatusBadge kind={stage === 'ready' ? 'good' : 'warn'} label={t(`hotels.stageLabel.${stage}`)} />
    </span>
  )
}

export function OpenBadge({ isAvailable }: { isAvailable: boolean }) {
  const { t } = useTranslation()
  return (
    <StatusBadge
      kind={isAvailable ? 'good' : 'idle'}
      label={isAvailable ? t('hotels.open') : t('hotels.notOpen')}
    />
  )
}
