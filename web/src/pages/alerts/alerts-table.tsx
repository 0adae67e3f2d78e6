import { Button, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ConsoleAlert } from '../../../../src/console-api/alerts/contract.ts'
import { useChange } from '../../api.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Can } from '../../parts/session.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Ago } from '../../parts/values/time.tsx'
import { useEvidenceText } from './evidence.ts'

const kindOfBadge = { critical: 'bad', warning: 'warn', info: 'info' } as const

export function useAlertColumns(): Column<ConsoleAlert>[] {
  const { t } = useTranslation()
  const evidenceText = useEvidenceText()
  return [
    {
      key: 'what',
      sorting: { by: ({ kind }) => t(`alerts.kinds.${kind}`) },
      header: t('alerts.what'),
      cell: ({ kind, severity, count }) => (
        <Stack gap={2} align="flex-start" miw="13rem">
          <Text size="sm" fw={600}>
            {t(`work.kind.${kind}`, { count })}
          </Text>
          <StatusBadge kind={kindOfBadge[severity]} label={t(`work.severity.${severity}`)} />
        </Stack>
      ),
    },
    {
      key: 'where',
      sorting: { by: ({ hotelName }) => hotelName },
      header: t('alerts.where'),
      cell: (alert) => <Where alert={alert} />,
    },
    {
      key: 'since',
      sorting: { by: ({ openedAt }) => openedAt },
      header: t('alerts.since'),
      cell: ({ openedAt }) => <Ago at={openedAt} />,
    },
    {
      key: 'evidence',
      header: t('alerts.evidence'),
      cell: ({ evidence }) => (
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {evidenceText(evidence)}
        </Text>
      ),
    },
    {
      key: 'action',
      header: t('alerts.action'),
      align: 'right',
      cell: (alert) => <Action alert={alert} />,
    },
  ]
}

function Where({ alert: { supplierId, supplier, hotelId, hotelName } }: { alert: ConsoleAlert }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0} miw="9rem">
      {hotelId === null ? (
        <Text size="sm">{t('alerts.account')}</Text>
      ) : (
        <LinkTo to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }}>
          {hotelName}
        </LinkTo>
      )}
      <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} fz="xs">
        {supplier}
      </LinkTo>
    </Stack>
  )
}

function Action({ alert }: { alert: ConsoleAlert }) {
  const { t } = useTranslation()
  const acknowledge = useChange('acknowledgeAlert', { invalidates: ['searchAlerts', 'getOverview'] })
  const { alertId, kind, state, supplier, acknowledgedAt, acknowledgedBy } = alert
  if (acknowledgedAt !== null)
    return (
      <Text size="xs" c="dimmed">
        {acknowledgedBy === null
          ? t('alerts.acknowledgedBySupplier')
          : t('alerts.acknowledgedBy', { name: acknowledgedBy })}
      </Text>
    )
  if (state !== 'open') return null
  return (
    <Can role="operator">
      <Button
        variant="default"
        size="compact-xs"
        loading={acknowledge.isPending}
        aria-label={t('alerts.acknowledgeWhat', { kind: t(`alerts.kinds.${kind}`), supplier })}
        onClick={() => acknowledge.mutate({ params: { alertId } })}
      >
        {t('alerts.acknowledge')}
      </Button>
    </Can>
  )
}
