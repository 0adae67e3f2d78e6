import { PasswordInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { passwordLength } from '../../../../src/operators/contract.ts'
import type { AnswerTo } from '../../api.ts'
import { keepCsrfToken } from '../../csrf.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { NewPassword } from './new-password.tsx'
import { useUncachedChange } from './use-uncached-change.ts'

/** In the user menu. After a link sign-in, the current password is not required, because it may be forgotten. */
export function ChangePassword({ me, onClose }: { me: AnswerTo<'whoAmI'>; onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { run, isBusy, error } = useUncachedChange('changePassword')
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const isAsked = me.hasPassword && me.signedInBy !== 'link'
  const change = () =>
    run({ body: { next, ...(isAsked ? { current } : {}) } }, ({ csrfToken }) => {
      keepCsrfToken(csrfToken)
      void queries.invalidateQueries({ queryKey: ['whoAmI'] })
      notifications.show({
        title: t('access.password.changed'),
        message: t('access.password.changedHint'),
        color: 'teal',
      })
      onClose()
    })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('access.password.title')}
      submit={t('access.password.submit')}
      isBusy={isBusy}
      isReady={next.length >= passwordLength.min && (!isAsked || current !== '')}
      error={error}
      onSubmit={change}
    >
      {/* Password managers look for whose password it is. */}
      <input type="text" autoComplete="username" value={me.name} readOnly hidden />
      {isAsked && (
        <PasswordInput
          label={t('access.password.current')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          maxLength={passwordLength.max}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('access.signIn.show') }}
          data-autofocus
        />
      )}
      <NewPassword value={next} onChange={setNext} isFirst={!isAsked} />
    </FormDialog>
  )
}
