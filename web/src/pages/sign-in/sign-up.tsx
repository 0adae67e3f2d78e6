import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { MailCheck } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { operatorNameLengthMax } from '../../../../src/operators/contract.ts'
import { signUpLimits } from '../../../../src/operators/sign-up-contract.ts'
import { useUncachedChange } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'

/** An account of the sandbox for a supplier's developer, who gets a link by mail. */
export function SignUp({ onGiveUp }: { onGiveUp: () => void }) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('signUp')
  const [email, setEmail] = useState('')
  const [company, setCompany] = useState('')
  const [isSent, setSent] = useState(false)
  const back = (
    <Anchor component="button" type="button" size="sm" onClick={onGiveUp}>
      {t('access.signUp.back')}
    </Anchor>
  )
  if (isSent) {
    return (
      <Stack gap="md">
        <Alert role="status" icon={<MailCheck size={16} aria-hidden />} title={t('access.signUp.sent')}>
          {t('access.signUp.sentHint', { email: email.trim(), minutes: signUpLimits.pauseMinutes })}
        </Alert>
        {back}
      </Stack>
    )
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) run({ body: { email: email.trim(), company: company.trim() } }, () => setSent(true))
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t('access.signUp.what')}</Text>
        {error !== undefined && <ErrorNote error={error} />}
        <TextInput
          size="sm"
          type="email"
          label={t('access.signUp.email')}
          autoComplete="email"
          required
          withAsterisk={false}
          maxLength={operatorNameLengthMax}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoFocus
        />
        <TextInput
          size="sm"
          label={t('access.signUp.company')}
          description={t('access.signUp.companyHint')}
          autoComplete="organization"
          required
          withAsterisk={false}
          maxLength={signUpLimits.companyLengthMax}
          value={company}
          onChange={(event) => setCompany(event.currentTarget.value)}
        />
        <Button type="submit" fullWidth size="sm" loading={isBusy}>
          {t('access.signUp.submit')}
        </Button>
        {back}
      </Stack>
    </form>
  )
}
