import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../api.ts'
import { CopyButton } from './values/code.tsx'

/** An error, what to do about it, and its request id, which is in the log and the push log. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { t } = useTranslation()
  const known = error instanceof ApiError ? error : undefined
  const isUnreachable = known?.status === 0
  const message = error instanceof Error && error.message !== '' ? error.message : t('parts.failed')
  const [first, ...others] = known?.problems ?? []
  return (
    <Alert
      role="alert"
      color="red"
      icon={<CircleAlert size={16} aria-hidden />}
      title={isUnreachable ? t('parts.unreachable') : message}
    >
      <Stack gap="xs">
        {isUnreachable && <Text size="sm">{t('parts.unreachableHint')}</Text>}
        {first?.hint !== undefined && <Text size="sm">{first.hint}</Text>}
        {others.length > 0 && (
          <List size="sm">
            {others.map(({ type, message: text, path }) => (
              <List.Item key={`${type} ${path ?? ''} ${text}`}>{text}</List.Item>
            ))}
          </List>
        )}
        <Group gap="sm">
          {onRetry && (
            <Button variant="default" onClick={onRetry}>
              {t('parts.retry')}
            </Button>
          )}
          {known?.requestId !== undefined && (
            <Group gap={4}>
              <Text size="xs" c="dimmed">
                {t('parts.requestId')}
              </Text>
              <Group gap={4} wrap="nowrap">
                <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {known.requestId}
                </Text>
                <CopyButton text={known.requestId} what={t('parts.requestId')} />
              </Group>
            </Group>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}
