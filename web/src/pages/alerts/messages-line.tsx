import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ConsoleMessages } from '../../../../src/console-api/alerts/contract.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Ago } from '../../parts/values/time.tsx'

/** What became of the messages of a channel in the last days. */
export function MessagesLine({
  messages: { channel, sent, waiting, givenUp, lastSentAt },
}: {
  messages: ConsoleMessages
}) {
  const { t } = useTranslation()
  return (
    <Group gap="xs">
      <Text size="xs">{t(`alerts.channels.by.${channel}`, { sent, waiting })}</Text>
      {givenUp > 0 && <StatusBadge kind="bad" label={t('alerts.channels.givenUp', { givenUp })} />}
      {lastSentAt !== null && (
        <Text size="xs" c="dimmed" component="span">
          {t('alerts.channels.lastSent')} <Ago at={lastSentAt} />
        </Text>
      )}
    </Group>
  )
}
