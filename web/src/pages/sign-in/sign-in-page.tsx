import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { CircleAlert, LogIn } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { operatorNameLengthMax, passwordLength } from '../../../../src/operators/contract.ts'
import { consolePath } from '../../address.ts'
import { keepCsrfToken, useApi, useUncachedChange } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Page } from '../../parts/page.tsx'
import { ChoosePassword } from './passwords.tsx'
import { SignUp } from './sign-up.tsx'
import { CodeField, isCodeAsked } from './second-factor.tsx'
import classes from './sign-in.module.css'

/** Sign-in by password, by link, or by the OpenID provider if there is one. */
export function SignInPage() {
  const { t } = useTranslation()
  const [token, forgetToken] = useLinkToken()
  const [isChoosing, setChoosing] = useState(false)
  const [isSigningUp, setSigningUp] = useState(false)
  const enter = useContinue()
  if (isChoosing) {
    return (
      <Frame title={t('access.password.chooseTitle')}>
        <ChoosePassword onDone={enter} />
      </Frame>
    )
  }
  if (isSigningUp && token === undefined) {
    return (
      <Frame title={t('access.signUp.title')}>
        <SignUp onGiveUp={() => setSigningUp(false)} />
      </Frame>
    )
  }
  return (
    <Frame title={t('access.signInTitle')}>
      {token === undefined ? (
        <ByPassword onDone={enter} onSignUp={() => setSigningUp(true)} />
      ) : (
        <ByLink
          token={token}
          onDone={() => {
            forgetToken()
            setChoosing(true)
          }}
          onGiveUp={forgetToken}
        />
      )}
    </Frame>
  )
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <main className={classes['frame']}>
      <div className={classes['card']}>
        <Mark size={36} />
        <Page title={title} intro={t('access.signIn.intro')}>
          {children}
        </Page>
      </div>
    </main>
  )
}

function useLinkToken(): [token: string | undefined, forget: () => void] {
  const [token, setToken] = useState(linkToken)
  useEffect(() => onLinkToken(() => setToken(linkToken())), [])
  const forget = () => {
    forgetLinkToken()
    setToken(undefined)
  }
  return [token, forget]
}

/** Continues to the page that was requested. */
function useContinue(): () => void {
  const queries = useQueryClient()
  const router = useRouter()
  const { to = '/' } = useSearch({ strict: false })
  return () => {
    queries.clear()
    router.history.push(`${consolePath}${to.startsWith('/') ? to : '/'}`)
  }
}

function ByLink({ token, onDone, onGiveUp }: { token: string; onDone: () => void; onGiveUp: () => void }) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('signInByLink')
  const [code, setCode] = useState<string>()
  if (code === undefined && isCodeAsked(error)) setCode('')
  // Not automatically: mail scanners that open links would use it up.
  const signIn = () =>
    run({ body: { token, ...(code === undefined ? {} : { code }) } }, ({ csrfToken }) => {
      keepCsrfToken(csrfToken)
      onDone()
    })
  return (
    <Stack
      component="form"
      gap="md"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) signIn()
      }}
    >
      <Text size="sm">{t('access.signIn.byLink')}</Text>
      {error !== undefined && !isCodeAsked(error) && <ErrorNote error={error} />}
      {code !== undefined && <CodeField value={code} onChange={setCode} isFirst />}
      <Button
        type="submit"
        fullWidth
        size="sm"
        loading={isBusy}
        disabled={code === ''}
        leftSection={<LogIn size={16} aria-hidden />}
      >
        {t('access.signIn.byLinkSubmit')}
      </Button>
      <Anchor component="button" type="button" size="sm" onClick={onGiveUp}>
        {t('access.signIn.withoutLink')}
      </Anchor>
    </Stack>
  )
}

function ByPassword({ onDone, onSignUp }: { onDone: () => void; onSignUp: () => void }) {
  const { t } = useTranslation()
  const { problem } = useSearch({ strict: false })
  const { run, isBusy, error } = useUncachedChange('signIn')
  const maySignUp = useApi('signInWays').data?.signUp === true
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string>()
  if (code === undefined && isCodeAsked(error)) setCode('')
  const withCode = code === undefined ? {} : { code }
  const signIn = () => run({ body: { name: name.trim(), password, ...withCode } }, onDone)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) signIn()
      }}
    >
      <Stack gap="md">
        {error === undefined && <ProviderProblem problem={problem} />}
        {error !== undefined && !isCodeAsked(error) && <ErrorNote error={error} />}
        <TextInput
          size="sm"
          label={t('access.signIn.name')}
          autoComplete="username"
          required
          withAsterisk={false}
          maxLength={operatorNameLengthMax}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoFocus
        />
        <PasswordInput
          size="sm"
          label={t('access.signIn.password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          maxLength={passwordLength.max}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('access.signIn.show') }}
        />
        {code !== undefined && <CodeField value={code} onChange={setCode} isFirst />}
        <Button type="submit" fullWidth size="sm" loading={isBusy} disabled={code === ''}>
          {t('access.signIn.submit')}
        </Button>
        <Provider />
        <Text size="xs" c="dimmed">
          {t('access.signIn.forgotten')}
        </Text>
        {maySignUp && (
          <Anchor component="button" type="button" size="sm" onClick={onSignUp}>
            {t('access.signUp.offer')}
          </Anchor>
        )}
      </Stack>
    </form>
  )
}

function Provider() {
  const { t } = useTranslation()
  const oidc = useApi('signInWays').data?.oidc
  if (!oidc) return null
  return (
    <>
      <Divider label={t('access.signIn.or')} />
      <Button component="a" href={oidc.path} variant="default" fullWidth size="sm">
        {t('access.signIn.withProvider', { name: oidc.name })}
      </Button>
    </>
  )
}

const problems = ['provider', 'expired', 'unknown'] as const

function ProviderProblem({ problem }: { problem: string | undefined }) {
  const { t } = useTranslation()
  const known = problems.find((one) => one === problem)
  if (!known) return null
  return (
    <Alert
      role="alert"
      color="red"
      icon={<CircleAlert size={16} aria-hidden />}
      title={t(`access.signIn.problem.${known}`)}
    >
      {t(`access.signIn.problemHint.${known}`)}
    </Alert>
  )
}

declare global {
  interface Window {
    /** Set by the first script of the page, which removed it from the address (src/console-api/web/mount-console.ts). */
    signInLinkToken?: string | undefined
  }
}

/** The token of the sign-in link that was opened. */
function linkToken(): string | undefined {
  return window.signInLinkToken
}

function forgetLinkToken(): void {
  delete window.signInLinkToken
}

/** Calls the listener when a link is opened while the page is already loaded; returns a function that stops this. */
function onLinkToken(listener: () => void): () => void {
  window.addEventListener('sign-in-link', listener)
  return () => window.removeEventListener('sign-in-link', listener)
}
