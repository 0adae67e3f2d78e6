import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import encodeQR from 'qr'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { codeLengthMax } from '../../../../src/operators/contract.ts'
import { type AnswerTo, ApiError, keepCsrfToken, useUncachedChange } from '../../api.ts'
import { CopyButton } from '../../parts/values/code.tsx'
import { Dialog, FormDialog } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Page } from '../../parts/page.tsx'
import classes from './sign-in.module.css'

/** In the user menu: sets up, replaces or removes the second factor. */
export function OwnSecondFactor({ me, onClose }: { me: AnswerTo<'whoAmI'>; onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { isSetUp, recoveryCodesLeft } = me.secondFactor
  // The state when the dialog was opened: it changes while the recovery codes are still shown.
  const [wasSetUp] = useState(isSetUp)
  const [doing, setDoing] = useState<'set up' | 'remove' | undefined>(wasSetUp ? undefined : 'set up')
  const [isKeeping, setKeeping] = useState(false)
  const done = () => {
    void queries.invalidateQueries({ queryKey: ['whoAmI'] })
    onClose()
  }
  if (doing === 'remove') return <Remove onClose={onClose} onDone={done} />
  return (
    <Dialog isOpen isLocked={isKeeping} onClose={onClose} title={t('access.secondFactor.title')}>
      {doing === 'set up' ? (
        <SecondFactorSetUp isReplaced={wasSetUp} onDone={done} onKept={() => setKeeping(true)} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{t('access.secondFactor.isSetUp', { count: recoveryCodesLeft })}</Text>
          <Button size="sm" fullWidth onClick={() => setDoing('set up')} data-autofocus>
            {t('access.secondFactor.replace')}
          </Button>
          <Button size="sm" fullWidth variant="default" onClick={() => setDoing('remove')}>
            {t('access.secondFactor.remove')}
          </Button>
        </Stack>
      )}
    </Dialog>
  )
}

function Remove({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('removeSecondFactor')
  const [code, setCode] = useState('')
  const remove = () =>
    run({ body: { code } }, ({ csrfToken }) => {
      keepCsrfToken(csrfToken)
      notifications.show({ message: t('access.secondFactor.removed'), color: 'teal' })
      onDone()
    })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('access.secondFactor.remove')}
      submit={t('access.secondFactor.removeSubmit')}
      isBusy={isBusy}
      isReady={code !== ''}
      isDangerous
      error={error}
      onSubmit={remove}
    >
      <CodeField value={code} onChange={setCode} isFirst />
    </FormDialog>
  )
}

/** Replaces every page while a required second factor is missing. */
export function RequiredSecondFactor({ onSignOut }: { onSignOut: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  return (
    <main className={classes['frame']}>
      <div className={classes['card']}>
        <Page title={t('access.secondFactor.title')} intro={t('access.secondFactor.must')}>
          <Stack gap="md">
            <SecondFactorSetUp
              isReplaced={false}
              onDone={() => void queries.invalidateQueries({ queryKey: ['whoAmI'] })}
            />
            <Anchor component="button" type="button" size="sm" onClick={onSignOut}>
              {t('shell.signOut')}
            </Anchor>
          </Stack>
        </Page>
      </div>
    </main>
  )
}

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

/** Whether only a code is missing, which is not an error. */
export function isCodeAsked(error: unknown): boolean {
  return error instanceof ApiError && error.problems.some(({ type }) => type === 'CODE_REQUIRED')
}

/** A field for a code of the authenticator app, or a recovery code. */
export function CodeField({
  value,
  onChange,
  isFirst = false,
  isOfApp = false,
}: {
  value: string
  onChange: (value: string) => void
  /** Whether it takes the focus. */
  isFirst?: boolean
  /** Recovery codes are not accepted. */
  isOfApp?: boolean
}) {
  const { t } = useTranslation()
  return (
    <TextInput
      size="sm"
      label={t('access.code.label')}
      description={isOfApp ? t('access.code.appHint') : t('access.code.hint')}
      autoComplete="one-time-code"
      inputMode={isOfApp ? 'numeric' : 'text'}
      required
      withAsterisk={false}
      maxLength={codeLengthMax}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoFocus={isFirst}
      data-autofocus={isFirst}
    />
  )
}

/** Black on white in every colour scheme, because not every camera reads inverted codes. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: 3 })
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes['qr']}
      viewBox={`0 0 ${modules.length} ${modules.length}`}
      shapeRendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
