import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PushesOfLate } from '../../../../src/console/suppliers/contract.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'

/** From this share of refused pushes on somebody should look. */
const badShare = 0.2
export const daysLookedAt = 7

/** How the newest pushes fared. */
export function PushHealth({ pushes: { looked, rejected, partial } }: { pushes: PushesOfLate }) {
  const { t } = useTranslation()
  if (looked === 0) {
    return (
      <Text size="sm" c="dimmed" component="span">
        {t('suppliers.list.noPushes', { days: daysLookedAt })}
      </Text>
    )
  }
  if (rejected + partial === 0)
    return <StatusBadge kind="good" label={t('suppliers.list.noneFailing', { count: looked })} />
  const kind = rejected / looked >= badShare ? 'bad' : 'warn'
  const label =
    rejected > 0
      ? t('suppliers.list.refused', { refused: rejected, count: looked })
      : t('suppliers.list.partial', { partial, count: looked })
  return <StatusBadge kind={kind} label={label} />
}
