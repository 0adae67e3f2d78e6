import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { serviceUrl } from '../../address.ts'
import { type AnswerTo, call, type ChangeInput } from '../../api.ts'
import { CopyButton } from '../../parts/values/code.tsx'
import { Dialog, FormDialog } from '../../parts/dialogs.tsx'
import classes from './suppliers.module.css'

export function NewKey({ supplierId, onClose }: { supplierId: number; onClose: () => void }) {
  const { t } = useTranslation()
  const [channelManager, setChannelManager] = useState('')
  const [lastDay, setLastDay] = useState('')
  const create = useSecret('createSupplierKey')
  if (create.made) {
    const { apiKey } = create.made
    return (
      <SecretDialog
        title={t('suppliers.newKey.doneTitle')}
        what={t('suppliers.secret.key')}
        secret={apiKey}
        example={exampleCall(apiKey)}
        onClose={onClose}
      />
    )
  }
  const expiresAt = endOfDay(lastDay)
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.newKey.title')}
      submit={t('suppliers.newKey.submit')}
      isBusy={create.isBusy}
      isReady={channelManager.trim() !== ''}
      error={create.error}
      onSubmit={() =>
        create.run({
          params: { supplierId },
          body: { channelManager: channelManager.trim(), ...(expiresAt === null ? {} : { expiresAt }) },
        })
      }
    >
      <Stack gap="sm">
        <TextInput
          label={t('suppliers.newKey.channelManager')}
          description={t('suppliers.newKey.channelManagerHint')}
          required
          maxLength={100}
          value={channelManager}
          onChange={(event) => setChannelManager(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          type="date"
          label={t('suppliers.newKey.expiresAt')}
          description={t('suppliers.newKey.expiresAtHint')}
          value={lastDay}
          onChange={(event) => setLastDay(event.currentTarget.value)}
        />
      </Stack>
    </FormDialog>
  )
}

type SecretRoute = 'createSupplierKey' | 'rotateSupplierKey' | 'rotateSigningSecret'

/**
 * A change whose answer contains a secret. Only the dialog that shows it holds the answer; it bypasses the cache that
 * other changes use.
 */
export function useSecret<Name extends SecretRoute>(name: Name) {
  const queries = useQueryClient()
  const [state, setState] = useState<{ isBusy: boolean; made?: AnswerTo<Name>; error?: unknown }>({
    isBusy: false,
  })
  return {
    ...state,
    run: (input: ChangeInput<Name>) => {
      setState({ isBusy: true })
      call(name, input).then(
        (made) => {
          setState({ isBusy: false, made })
          for (const query of ['getSupplier', 'listSuppliers'])
            void queries.invalidateQueries({ queryKey: [query] })
        },
        (error: unknown) => setState({ isBusy: false, error }),
      )
    },
    forget: () => setState({ isBusy: false }),
  }
}

/** Shows a secret once. It closes only by the button that confirms it was saved. */
export function SecretDialog({
  title,
  what,
  secret,
  example,
  onClose,
  children,
}: {
  title: string
  what: string
  secret: string
  /** An example command with it. */
  example?: string
  onClose: () => void
  children?: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <Dialog isOpen isLocked onClose={onClose} title={title} size="lg">
      <Stack gap="md">
        <Alert color="yellow" icon={<KeyRound size={16} aria-hidden />} title={t('suppliers.secret.once')} />
        <Block label={what} text={secret} />
        {children}
        {example !== undefined && (
          <Block
            label={t('suppliers.secret.example')}
            copies={t('suppliers.secret.exampleWhat')}
            text={example}
            hint={t('suppliers.secret.exampleHint')}
          />
        )}
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('suppliers.secret.kept')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Block({
  label,
  text,
  copies,
  hint,
}: {
  label: string
  text: string
  copies?: string
  hint?: string
}) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <div className={classes['secret']}>
        <code className={classes['secretText']}>{text}</code>
        <CopyButton text={text} what={copies ?? label} />
      </div>
      {hint !== undefined && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </div>
  )
}

export function exampleCall(apiKey: string): string {
  return `curl ${serviceUrl}/v1/push/limits -H 'x-api-key: ${apiKey}'`
}

const dayMs = 86_400_000

/** A last day means the midnight (UTC) at its end. */
export function endOfDay(lastDay: string): string | null {
  const atMs = Date.parse(`${lastDay}T00:00:00Z`)
  return Number.isNaN(atMs) ? null : new Date(atMs + dayMs).toISOString()
}
