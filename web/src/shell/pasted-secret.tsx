import { Alert, Button, Code, Group, Loader, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FoundKey, FoundSecret } from '../../../src/console-api/search/contract.ts'
import { call } from '../api.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Ago } from '../parts/values/time.tsx'

/**
 * Whether a text may contain a key or token, or a part of one: letters and digits without order, longer than any word.
 * Request ids have dashes, or are hexadecimal.
 */
export function maybeSecret(text: string): boolean {
  if (/ari_(?:sbx|live|tok)/i.test(text)) return true
  const long = text.match(/[0-9A-Za-z]{20,}/g) ?? []
  return long.some((run) => /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run))
}

const typingMs = 300
/** The service refuses longer text. */
const lengthMax = 2_000

/** Whose a pasted secret is. It is in the body of a request, and in no cache. */
export function PastedSecret({ pasted, onKey }: { pasted: string; onKey: (found: FoundKey) => void }) {
  const { t } = useTranslation()
  const [result, setResult] = useState<{ found?: FoundSecret; error?: unknown }>({})
  useEffect(() => {
    setResult({})
    const stop = new AbortController()
    const ask = async (): Promise<void> => {
      try {
        const found = await call('searchKey', { body: { pasted: pasted.slice(0, lengthMax) } }, stop.signal)
        setResult({ found })
      } catch (error) {
        if (!stop.signal.aborted) setResult({ error })
      }
    }
    const timer = setTimeout(() => void ask(), typingMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [pasted])
  const { found, error } = result
  if (error !== undefined) return <ErrorNote error={error} />
  if (!found) return <Loader size="xs" m="xs" aria-label={t('parts.loading')} />
  if (found.is === 'key') {
    const { key } = found
    return (
      <Alert color={key.works ? 'red' : 'blue'} title={t('shell.foundKey.of', { ...key })}>
        <Group justify="space-between" gap="sm">
          <Text size="sm" component="div">
            {t(key.works ? 'shell.foundKey.works' : 'shell.foundKey.worksNot')} {t('shell.foundKey.lastUsed')}{' '}
            <Ago at={key.lastUsedAt} />
          </Text>
          <Button variant="default" onClick={() => onKey(key)}>
            {t('shell.foundKey.look')}
          </Button>
        </Group>
      </Alert>
    )
  }
  if (found.is === 'token') {
    const { token } = found
    return (
      <Alert
        color={token.status === 'active' ? 'red' : 'blue'}
        title={t('shell.foundKey.token', { ...token })}
      >
        <Text size="sm" component="div">
          {t(`shell.foundKey.status.${token.status}`)} · {t('shell.foundKey.lastUsed')}{' '}
          <Ago at={token.lastUsedAt} />
        </Text>
        {token.status === 'active' && (
          <Text size="sm" component="div">
            {t('shell.foundKey.tokenRevoke')} <Code>{`ari token revoke ${token.tokenId}`}</Code>
          </Text>
        )}
      </Alert>
    )
  }
  return <Alert color="yellow">{t(`shell.foundKey.${found.is}`)}</Alert>
}
