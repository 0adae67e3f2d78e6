import { Button, PasswordInput, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { passwordLength } from '../../../../src/operators/contract.ts'
import { type AnswerTo, keepCsrfToken, useUncachedChange } from '../../api.ts'
import { FormDialog } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'

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

/** After a link sign-in: the link is used up, so the next sign-in needs a password. */
export function ChoosePassword({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('changePassword')
  const [next, setNext] = useState('')
  const choose = () =>
    run({ body: { next } }, ({ csrfToken }) => {
      keepCsrfToken(csrfToken)
      onDone()
    })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) choose()
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t('access.password.chooseIntro')}</Text>
        {error !== undefined && <ErrorNote error={error} />}
        <NewPassword value={next} onChange={setNext} isFirst />
        <Button
          size="sm"
          type="submit"
          fullWidth
          loading={isBusy}
          disabled={next.length < passwordLength.min}
        >
          {t('access.password.choose')}
        </Button>
        <Button size="sm" variant="default" fullWidth onClick={onDone}>
          {t('access.password.later')}
        </Button>
      </Stack>
    </form>
  )
}

export function NewPassword({
  value,
  onChange,
  isFirst = false,
}: {
  value: string
  onChange: (value: string) => void
  /** The fields of its form. */
  isFirst?: boolean
}) {
  const { t } = useTranslation()
  return (
    <PasswordInput
      label={t('access.password.next')}
      description={t('access.password.hint', passwordLength)}
      autoComplete="new-password"
      required
      withAsterisk={false}
      minLength={passwordLength.min}
      maxLength={passwordLength.max}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': t('access.signIn.show') }}
      data-autofocus={isFirst}
      autoFocus={isFirst}
    />
  )
}
