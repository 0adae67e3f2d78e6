import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { Send } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { SupplierAlertChannels } from '../../../../src/console-api/alerts/contract.ts'
import { useApi, useChange } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Can } from '../../parts/session.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { MessagesLine } from '../alerts/messages-line.tsx'
import classes from './suppliers.module.css'

/** Who is told of the supplier's alerts, and whether that works. The supplier sets it by the API. */
export function AlertsPanel({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const { data, error, refetch } = useApi('getSupplierAlertChannels', { params: { supplierId } })
  return (
    <section className={classes['panel']} aria-labelledby="alert-channels">
      <Title order={2} id="alert-channels" mb="sm">
        {t('alerts.channels.title')}
      </Title>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && <Channels supplierId={supplierId} channels={data} />}
    </section>
  )
}

function Channels({ supplierId, channels }: { supplierId: number; channels: SupplierAlertChannels }) {
  const { t } = useTranslation()
  const { kinds, webhook, emails, emailAvailable, messages } = channels
  const isNobody = webhook === null && !emails.some(({ isConfirmed }) => isConfirmed)
  return (
    <Stack gap="xs">
      {isNobody && <Text size="sm">{t('alerts.channels.nobody')}</Text>}
      {webhook !== null && <Code copies={t('alerts.channels.webhook')}>{webhook}</Code>}
      {emails.map(({ email, isConfirmed }) => (
        <Group key={email} gap="xs">
          <Text size="sm">{email}</Text>
          <StatusBadge
            kind={isConfirmed ? 'good' : 'wait'}
            label={t(isConfirmed ? 'alerts.channels.confirmed' : 'alerts.channels.pending')}
          />
        </Group>
      ))}
      {!emailAvailable && (
        <Text size="xs" c="dimmed">
          {t('alerts.channels.noMail')}
        </Text>
      )}
      {kinds !== null && (
        <Text size="xs" c="dimmed">
          {t('alerts.channels.only', {
            kinds: kinds.map((kind) => t(`alerts.kinds.${kind}`)).join(', '),
          })}
        </Text>
      )}
      {messages.map((one) => (
        <MessagesLine key={one.channel} messages={one} />
      ))}
      {!isNobody && (
        <Can role="operator">
          <TestButton supplierId={supplierId} />
        </Can>
      )}
    </Stack>
  )
}

function TestButton({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const test = useChange('testSupplierAlerts', { invalidates: [] })
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        variant="default"
        leftSection={<Send size={14} aria-hidden />}
        loading={test.isPending}
        onClick={() => test.mutate({ params: { supplierId } })}
      >
        {t('alerts.channels.test')}
      </Button>
      <div role="status">
        {test.data?.results.map(({ channel, address, isSent, reason = '' }) => (
          <StatusBadge
            key={`${channel} ${address}`}
            kind={isSent ? 'good' : 'bad'}
            label={
              isSent
                ? t('alerts.channels.testSent', { address })
                : t('alerts.channels.testFailed', { address, reason })
            }
          />
        ))}
      </div>
      {test.error && <ErrorNote error={test.error} />}
    </Stack>
  )
}
