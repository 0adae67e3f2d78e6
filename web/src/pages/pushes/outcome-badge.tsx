import { useTranslation } from 'react-i18next'
import type { ItemStatus } from '../../../../src/console-api/pushes/contract.ts'
import type { PushOutcome } from '../../../../src/push-log/contract.ts'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'

const kindOfOutcome: Readonly<Record<PushOutcome, StatusKind>> = {
  applied: 'good',
  unchanged: 'idle',
  partial: 'warn',
  rejected: 'bad',
  dryRun: 'info',
}

export function OutcomeBadge({ outcome }: { outcome: PushOutcome }) {
  const { t } = useTranslation()
  return <StatusBadge kind={kindOfOutcome[outcome]} label={t(`pushes.outcome.${outcome}`)} />
}

const kindOfItem: Readonly<Record<ItemStatus, StatusKind>> = {
  applied: 'good',
  unchanged: 'idle',
  partial: 'warn',
  rejected: 'bad',
  superseded: 'info',
  held: 'warn',
  notApplied: 'idle',
}

export function ItemBadge({ status }: { status: ItemStatus }) {
  const { t } = useTranslation()
  return <StatusBadge kind={kindOfItem[status]} label={t(`pushes.item.status.${status}`)} />
}
