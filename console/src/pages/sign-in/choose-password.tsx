import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { passwordLength } from '../../../../src/operators/contract.ts'
import { keepCsrfToken } from '../../csrf.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { NewPassword } from './new-password.tsx'
import { useUncachedChange } from './use-uncached-change.ts'

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
