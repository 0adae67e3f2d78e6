import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SupplierCertification } from '../../../../src/console-api/suppliers/contract.ts'
import { useApi } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'
import { Time } from '../../parts/values/time.tsx'

type Check = SupplierCertification['checks'][number]

const kindOf: Readonly<Record<Check['state'], StatusKind>> = {
  proven: 'good',
  failing: 'bad',
  missing: 'warn',
  notApplicable: 'idle',
}

/**
 * What the traffic of an account, or of one of its hotels, proves about the integration: a summary, with the checks behind
 * it. They are open as long as one fails before anything is sold.
 */
export function CertificationPanel({
  supplierId,
  hotelId,
  isLive,
}: {
  supplierId: number
  hotelId?: number
  isLive: boolean
}) {
  const { t } = useTranslation()
  const { data, error, isPending, refetch } = useApi('getSupplierCertification', {
    params: { supplierId },
    query: { hotelId: hotelId === undefined ? undefined : String(hotelId) },
  })
  const [chosen, setChosen] = useState<boolean>()
  const columns = useColumns()
  const checks = data?.checks ?? []
  const fails = checks.some(({ state }) => state === 'failing')
  const isOpen = chosen ?? (fails && !isLive)
  return (
    <section aria-labelledby="certification">
      <Title order={2} id="certification" mb="xs">
        {t('suppliers.certification.title')}
      </Title>
      {data && (
        <Text size="sm" mb="xs">
          {t('suppliers.certification.score', { score: data.score })}{' '}
          {hotelId === undefined &&
            t(
              data.isCertified ? 'suppliers.certification.certified' : 'suppliers.certification.notCertified',
            )}
        </Text>
      )}
      {data && (
        <Group gap="xs" mb="xs">
          <Counts checks={checks} />
          <Button variant="subtle" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
            {isOpen
              ? t('suppliers.certification.hide')
              : t('suppliers.certification.show', { count: checks.length })}
          </Button>
        </Group>
      )}
      {(isOpen || !data) && (
        <DataTable
          caption={t('suppliers.certification.title')}
          columns={columns}
          rows={checks}
          rowKey={({ id }) => id}
          isPending={isPending}
          error={error}
          onRetry={() => void refetch()}
          empty={{ title: t('suppliers.certification.none') }}
        />
      )}
    </section>
  )
}

const shownStates = ['failing', 'missing', 'proven', 'notApplicable'] as const

/** How many checks are in each state: together all of them. */
function Counts({ checks }: { checks: readonly Check[] }) {
  const { t } = useTranslation()
  return shownStates.map((state) => {
    const count = checks.filter((check) => check.state === state).length
    if (count === 0) return null
    const label = t('suppliers.certification.counted', {
      count,
      state: t(`suppliers.certification.states.${state}`),
    })
    return <StatusBadge key={state} kind={kindOf[state]} label={label} />
  })
}

function useColumns(): Column<Check>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'check',
      sorting: { by: ({ title }) => title },
      header: t('suppliers.certification.check'),
      cell: ({ title, level }) => (
        <Stack gap={0} miw="9rem">
          <Text size="sm">{title}</Text>
          <Text size="xs" c="dimmed">
            {t(`suppliers.certification.level.${level}`)}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'state',
      sorting: { by: ({ state }) => t(`suppliers.certification.states.${state}`) },
      header: t('suppliers.certification.state'),
      cell: ({ state }) => (
        <StatusBadge kind={kindOf[state]} label={t(`suppliers.certification.states.${state}`)} />
      ),
    },
    {
      key: 'why',
      header: t('suppliers.certification.why'),
      cell: ({ why, howTo, state }) => (
        <Stack gap={0}>
          <Text size="sm">{why}</Text>
          {(state === 'failing' || state === 'missing') && (
            <Text size="xs" c="dimmed">
              {howTo}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'evidence',
      header: t('suppliers.certification.evidence'),
      cell: (check) => <Evidence check={check} />,
    },
  ]
}

function Evidence({ check: { evidence, pushId } }: { check: Check }) {
  if (evidence === null) return null
  const { requestId, at } = evidence
  return (
    <Stack gap={0}>
      {pushId !== null && requestId !== null ? (
        <LinkTo
          to="/pushes/$pushId"
          params={{ pushId: String(pushId) }}
          ff="monospace"
          fz="xs"
          underline="always"
        >
          {requestId}
        </LinkTo>
      ) : (
        requestId !== null && <Code copies={requestId}>{requestId}</Code>
      )}
      <Text size="xs" c="dimmed" component="div">
        <Time at={at} />
      </Text>
    </Stack>
  )
}
