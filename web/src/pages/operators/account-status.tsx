import { useTranslation } from 'react-i18next'
import type { StoredOperator } from '../../../../src/operators/contract.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'

type Account = Pick<StoredOperator, 'disabledAt' | 'lastSignInAt'>

export function statusOf({ disabledAt, lastSignInAt }: Account): 'disabled' | 'invited' | 'active' {
  if (disabledAt !== null) return 'disabled'
  return lastSignInAt === null ? 'invited' : 'active'
}

const badgeOf = { disabled: 'idle', invited: 'wait', active: 'good' } as const

/** Whether an operator, or somebody of a supplier, can sign in and has done so. */
export function AccountStatus({ account }: { account: Account }) {
  const { t } = useTranslation()
  const status = statusOf(account)
  return <StatusBadge kind={badgeOf[status]} label={t(`access.operators.${status}`)} />
}
