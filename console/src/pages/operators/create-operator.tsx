import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { operatorNameLengthMax } from '../../../../src/operators/contract.ts'
import type { OperatorRole } from '../../../../src/http/route.ts'
import type { AnswerTo } from '../../api.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useUncachedChange } from '../sign-in/use-uncached-change.ts'
import { RoleChoice } from './role-choice.tsx'

export function CreateOperator({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (answer: AnswerTo<'createOperator'>) => void
}) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { run, isBusy, error } = useUncachedChange('createOperator')
  const [name, setName] = useState('')
  const [role, setRole] = useState<OperatorRole>('viewer')
  const create = () =>
    run({ body: { name: name.trim(), role } }, (answer) => {
      void queries.invalidateQueries({ queryKey: ['listOperators'] })
      onMade(answer)
    })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('access.create.title')}
      submit={t('access.create.submit')}
      isBusy={isBusy}
      isReady={name.trim() !== ''}
      error={error}
      onSubmit={create}
    >
      <TextInput
        label={t('access.operators.name')}
        description={t('access.create.nameHint')}
        required
        withAsterisk={false}
        maxLength={operatorNameLengthMax}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  )
}
