import { Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { StoredOperator } from '../../../../src/operators/contract.ts'
import { useChange, type AnswerTo } from '../../api.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useUncachedChange } from '../sign-in/use-uncached-change.ts'
import { RoleChoice } from './role-choice.tsx'

/** Confirmations before an operator is changed. */
type DialogProps = { operator: StoredOperator; onClose: () => void }

export function ChangeRole({ operator: { operatorId, name, role }, onClose }: DialogProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState(role)
  const change = useChange('changeOperatorRole', { invalidates: ['listOperators', 'whoAmI'] })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('access.changeRole.title', { name })}
      submit={t('access.changeRole.submit')}
      isBusy={change.isPending}
      isReady={chosen !== role}
      error={change.error}
      onSubmit={() =>
        change.mutate({ params: { operatorId }, body: { role: chosen } }, { onSuccess: onClose })
      }
    >
      <RoleChoice value={chosen} onChange={setChosen} />
    </FormDialog>
  )
}

export function DisableOperator({ operator: { operatorId, name }, onClose }: DialogProps) {
  const { t } = useTranslation()
  const disable = useChange('disableOperator', { invalidates: ['listOperators', 'whoAmI'] })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('access.disable.title', { name })}
      confirm={t('access.operators.disable')}
      isDangerous
      isBusy={disable.isPending}
      error={disable.error}
      onConfirm={() => disable.mutate({ params: { operatorId } }, { onSuccess: onClose })}
    >
      <Text size="sm">{t('access.disable.text')}</Text>
    </Confirm>
  )
}

export function ResetSecondFactor({ operator: { operatorId, name }, onClose }: DialogProps) {
  const { t } = useTranslation()
  const reset = useChange('resetSecondFactor', { invalidates: ['listOperators'] })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('access.resetSecondFactor.title', { name })}
      confirm={t('access.resetSecondFactor.submit')}
      isDangerous
      isBusy={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate({ params: { operatorId } }, { onSuccess: onClose })}
    >
      <Text size="sm">{t('access.resetSecondFactor.text')}</Text>
    </Confirm>
  )
}

export function NewLink({
  operator: { operatorId, name },
  onClose,
  onMade,
}: DialogProps & { onMade: (answer: AnswerTo<'createSignInLink'>) => void }) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('createSignInLink')
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('access.newLink.title', { name })}
      confirm={t('access.newLink.submit')}
      isBusy={isBusy}
      error={error}
      onConfirm={() => run({ params: { operatorId } }, onMade)}
    >
      <Text size="sm">{t('access.newLink.text')}</Text>
    </Confirm>
  )
}
