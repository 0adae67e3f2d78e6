import { Button, Group, NativeSelect, Stack, Title } from '@mantine/core'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Export } from '../../../../src/console-api/exports/contract.ts'
import { urlOf, useApi, useChange } from '../../api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Bytes } from '../../parts/values/numbers.tsx'
import { ForManagers } from '../../parts/session.tsx'
import { StatusBadge, type StatusKind } from '../../parts/values/status-badge.tsx'
import { Ago } from '../../parts/values/time.tsx'

/** What can be exported, as kind and format. */
const choices = {
  ariCsv: { kind: 'ari', format: 'csv' },
  ari: { kind: 'ari', format: 'ndjson' },
  hotels: { kind: 'hotels', format: 'ndjson' },
  products: { kind: 'products', format: 'ndjson' },
  taxes: { kind: 'taxes', format: 'ndjson' },
} as const
type Choice = keyof typeof choices
const choiceNames = ['ariCsv', 'ari', 'hotels', 'products', 'taxes'] as const

const kindByState: Readonly<Record<Export['state'], StatusKind>> = {
  uploading: 'wait',
  queued: 'wait',
  running: 'wait',
  stopped: 'warn',
  done: 'good',
  failed: 'bad',
  cancelled: 'idle',
}

const everyMs = 5_000

/** Files of what is stored of the supplier: ordered here or with its key, and downloaded when they are done. */
export function ExportsPanel({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const { data, isPending, error, refetch } = useApi('listExports', { params: { supplierId } }, { everyMs })
  return (
    <section aria-labelledby="exports">
      <Title order={2} id="exports" mb="xs">
        {t('suppliers.exports.title')}
      </Title>
      <Stack gap="sm">
        <ForManagers>
          <OrderExport supplierId={supplierId} />
        </ForManagers>
        <DataTable
          caption={t('suppliers.exports.caption')}
          columns={useColumns(supplierId)}
          rows={data?.exports ?? []}
          rowKey={({ exportId }) => exportId}
          isPending={isPending}
          error={error}
          onRetry={() => void refetch()}
          empty={{ title: t('suppliers.exports.none'), hint: t('suppliers.exports.noneHint') }}
        />
      </Stack>
    </section>
  )
}

function OrderExport({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const [choice, setChoice] = useState<Choice>('ariCsv')
  const order = useChange('createExport', { invalidates: ['listExports'] })
  return (
    <>
      <Group align="end" gap="sm">
        <NativeSelect
          label={t('suppliers.exports.what')}
          value={choice}
          onChange={(event) =>
            setChoice(choiceNames.find((one) => one === event.currentTarget.value) ?? choice)
          }
          data={choiceNames.map((value) => ({ value, label: t(`suppliers.exports.choices.${value}`) }))}
        />
        <Button
          variant="default"
          loading={order.isPending}
          onClick={() => order.mutate({ params: { supplierId }, body: choices[choice] })}
        >
          {t('suppliers.exports.order')}
        </Button>
      </Group>
      {order.error && <ErrorNote error={order.error} />}
    </>
  )
}

function useColumns(supplierId: number): Column<Export>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'what',
      sorting: { by: (one) => t(`suppliers.exports.choices.${choiceOf(one)}`) },
      header: t('suppliers.exports.what'),
      cell: (one) => t(`suppliers.exports.choices.${choiceOf(one)}`),
    },
    {
      key: 'state',
      sorting: { by: ({ state }) => state },
      header: t('suppliers.exports.state'),
      cell: ({ state, failure }) => (
        <StatusBadge kind={kindByState[state]} label={failure ?? t(`suppliers.exports.states.${state}`)} />
      ),
    },
    {
      key: 'at',
      sorting: { by: ({ createdAt }) => createdAt },
      header: t('suppliers.exports.at'),
      cell: ({ createdAt }) => <Ago at={createdAt} />,
    },
    {
      key: 'file',
      header: t('suppliers.exports.file'),
      align: 'right',
      cell: ({ exportId, state, kind, format, bytes }) =>
        state === 'done' && (
          <Button
            component="a"
            variant="default"
            leftSection={<Download size={14} aria-hidden />}
            href={urlOf('downloadExport', { params: { supplierId, exportId } })}
            download={`${kind}-${exportId.slice(-8)}.${format}`}
          >
            <Bytes n={bytes} />
          </Button>
        ),
    },
  ]
}

function choiceOf({ kind, format }: Export): Choice {
  return kind === 'ari' && format === 'csv' ? 'ariCsv' : kind
}
