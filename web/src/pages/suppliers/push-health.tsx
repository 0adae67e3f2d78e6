import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { RecentPushes } from '../../../../src/console-api/suppliers/contract.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'

/** From this share of refused pushes on, it is shown as a problem. */
const badShare = 0.2
export const daysLookedAt = 7

/** The share of failing pushes among the newest ones, as a link to them. */
export function PushHealth({
  supplierId,
  pushes: { looked, rejected, partial },
}: {
  supplierId: number
  pushes: RecentPushes
}) {
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
  const outcome = rejected > 0 ? 'rejected' : 'partial'
  return (
    <LinkTo to="/pushes" search={{ supplierId: String(supplierId), outcome }}>
      <StatusBadge kind={kind} label={label} />
    </LinkTo>
  )
}
