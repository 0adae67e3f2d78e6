import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AnswerTo } from '../../api.ts'
import { keepCsrfToken } from '../../csrf.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { CodeField } from './code-field.tsx'
import { QrCode } from './qr-code.tsx'
import classes from './sign-in.module.css'
import { useUncachedChange } from './use-uncached-change.ts'

type Begun = AnswerTo<'beginSecondFactor'>

/** Setup from the QR code to the recovery codes, which are shown once. */
export function SecondFactorSetUp({
  isReplaced,
  onDone,
  onKept,
}: {
  /** Whether it replaces a second factor, whose code is then required. */
  isReplaced: boolean
  onDone: () => void
  /** Called when the app is set up and only the recovery codes remain to be saved. */
  onKept?: () => void
}) {
  const [begun, setBegun] = useState<Begun>()
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>()
  const confirmed = (codes: readonly string[]) => {
    setRecoveryCodes(codes)
    onKept?.()
  }
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} onDone={onDone} />
  if (begun) return <Confirm begun={begun} onConfirmed={confirmed} />
  return <Begin isReplaced={isReplaced} onBegun={setBegun} />
}

function Begin({ isReplaced, onBegun }: { isReplaced: boolean; onBegun: (begun: Begun) => void }) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('beginSecondFactor')
  const [code, setCode] = useState('')
  return (
    <Form isBusy={isBusy} onSubmit={() => run({ body: isReplaced ? { code } : {} }, onBegun)}>
      <Text size="sm">{t('access.secondFactor.what')}</Text>
      {error !== undefined && <ErrorNote error={error} />}
      {isReplaced && <CodeField value={code} onChange={setCode} isFirst />}
      <Button type="submit" size="sm" fullWidth loading={isBusy} disabled={isReplaced && code === ''}>
        {t('access.secondFactor.begin')}
      </Button>
    </Form>
  )
}

function Confirm({
  begun: { secret, uri },
  onConfirmed,
}: {
  begun: Begun
  onConfirmed: (recoveryCodes: readonly string[]) => void
}) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('confirmSecondFactor')
  const [code, setCode] = useState('')
  const confirm = () =>
    run({ body: { code } }, ({ csrfToken, recoveryCodes }) => {
      keepCsrfToken(csrfToken)
      onConfirmed(recoveryCodes)
    })
  return (
    <Form isBusy={isBusy} onSubmit={confirm}>
      <Text size="sm">{t('access.secondFactor.scan')}</Text>
      <QrCode text={uri} label={t('access.secondFactor.qr')} />
      <Text size="xs" c="dimmed">
        {t('access.secondFactor.orType')}
      </Text>
      <div className={classes['secret']}>
        <code className={classes['secretText']}>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <CopyButton text={secret} what={t('access.secondFactor.secret')} />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      <CodeField value={code} onChange={setCode} isFirst isOfApp />
      <Button type="submit" size="sm" fullWidth loading={isBusy} disabled={code === ''}>
        {t('access.secondFactor.confirm')}
      </Button>
    </Form>
  )
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation()
  return (
    <Stack gap="md">
      <Alert
        color="yellow"
        icon={<KeyRound size={16} aria-hidden />}
        title={t('access.secondFactor.codesOnce')}
      >
        {t('access.secondFactor.codesWhat')}
      </Alert>
      <ul className={classes['codes']} aria-label={t('access.secondFactor.codes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between">
        <CopyButton text={codes.join('\n')} what={t('access.secondFactor.codes')} />
        <Button size="sm" onClick={onDone} data-autofocus>
          {t('access.secondFactor.kept')}
        </Button>
      </Group>
    </Stack>
  )
}

function Form({
  isBusy,
  onSubmit,
  children,
}: {
  isBusy: boolean
  onSubmit: () => void
  children: ReactNode
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) onSubmit()
      }}
    >
      <Stack gap="md">{children}</Stack>
    </form>
  )
}
