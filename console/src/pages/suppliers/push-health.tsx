import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { RecentPushes } from '../../../../src/console/suppliers/contract.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'

/** From this share of refused pushes on, it is shown as a problem. */
const badShare = 0.2
export const daysLookedAt = 7

/** The share of failing pushes among the newest ones. */
export function PushHealth({ pushes: { looked, rejected, partial } }: { pushes: RecentPushes }) {
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
