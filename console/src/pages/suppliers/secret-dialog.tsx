import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../parts/copy-button.tsx'
import classes from './suppliers.module.css'

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
    <Modal
      opened
      onClose={onClose}
      attributes={{ header: { role: 'none' } }}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
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
    </Modal>
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
  return `curl ${window.location.origin}/v1/push/limits -H 'x-api-key: ${apiKey}'`
}
