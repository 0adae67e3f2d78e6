import { Button, Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { PushListed } from '../../../../src/console-api/pushes/contract.ts'
import { usePages } from '../../api.ts'
import { type Column, DataTable, tableOf } from '../../parts/lists/data-table.tsx'
import { type CsvColumn, ExportCsv } from '../../parts/lists/export-csv.tsx'
import {
  DatesFilter,
  Filters,
  HotelFilter,
  SelectFilter,
  SupplierFilter,
  TextFilter,
} from '../../parts/lists/filters.tsx'
import { ButtonTo, LinkTo } from '../../parts/link-to.tsx'
import { Bytes, Count } from '../../parts/values/numbers.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/values/time.tsx'
import { NewPushes } from './new-pushes.tsx'
import { OutcomeBadge } from './outcome-badge.tsx'
import classes from './pushes.module.css'

const kinds = [
  'hotels',
  'products',
  'taxes',
  'ari',
  'availabilityWebhook',
  'pushbookWebhook',
  'stopSell',
  'undo',
  'release',
] as const
const outcomes = ['applied', 'unchanged', 'partial', 'rejected', 'dryRun'] as const
const filters = [
  'supplierId',
  'hotelId',
  'kind',
  'outcome',
  'problem',
  'status',
  'requestId',
  'since',
  'until',
] as const

export function PushesPage() {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const query = {
    supplierId: search['supplierId'],
    hotelId: search['hotelId'],
    status: search['status'],
    problem: search['problem']?.trim(),
    requestId: search['requestId']?.trim(),
    since: search['since'],
    until: search['until'],
    kind: kinds.find((kind) => kind === search['kind']),
    outcome: outcomes.find((outcome) => outcome === search['outcome']),
  }
  const found = usePages('listPushes', { query }, ({ pushes }) => pushes)
  const isFiltered = filters.some((name) => (search[name] ?? '') !== '')
  // A search with few matches stops after a while, and continues on a click.
  const goOn = {
    title: t('pushes.list.notYet'),
    hint: t('pushes.list.notYetHint'),
    action: (
      <Button variant="default" loading={found.isLoadingMore} onClick={found.more}>
        {t('pushes.list.further')}
      </Button>
    ),
  }
  const none = isFiltered
    ? { title: t('pushes.list.noneFound'), hint: t('pushes.list.noneFoundHint') }
    : {
        title: t('pushes.list.none'),
        hint: t('pushes.list.noneHint'),
        action: <ButtonTo to="/suppliers">{t('pushes.list.toSuppliers')}</ButtonTo>,
      }
  return (
    <Page
      title={t('pushes.title')}
      intro={t('pushes.intro')}
      actions={
        <ExportCsv
          list="listPushes"
          input={{ query }}
          rowsOf={({ pushes }) => pushes}
          columns={useCsvColumns()}
          file="pushes"
        />
      }
    >
      <PushFilters />
      <NewPushes query={query} shown={found} />
      <DataTable
        caption={t('pushes.list.caption')}
        columns={useColumns()}
        rowKey={({ pushId }) => pushId}
        empty={found.hasMore ? goOn : none}
        {...tableOf(found)}
      />
    </Page>
  )
}

function PushFilters() {
  const { t } = useTranslation()
  return (
    <Filters names={filters}>
      <SupplierFilter label={t('pushes.filter.supplier')} />
      <HotelFilter label={t('pushes.filter.hotel')} />
      <SelectFilter
        name="kind"
        label={t('pushes.filter.kind')}
        options={kinds.map((kind) => ({ value: kind, label: t(`pushes.kind.${kind}`) }))}
      />
      <SelectFilter
        name="outcome"
        label={t('pushes.filter.outcome')}
        options={outcomes.map((outcome) => ({ value: outcome, label: t(`pushes.outcome.${outcome}`) }))}
      />
      <TextFilter
        name="problem"
        label={t('pushes.filter.problem')}
        placeholder={t('pushes.filter.problemHint')}
        width={200}
      />
      <TextFilter
        name="status"
        label={t('pushes.filter.status')}
        placeholder={t('pushes.filter.statusHint')}
        width={90}
      />
      <TextFilter
        name="requestId"
        label={t('pushes.filter.requestId')}
        placeholder={t('pushes.filter.requestIdHint')}
        width={260}
      />
      <DatesFilter
        from={{ name: 'since', label: t('pushes.filter.since') }}
        to={{ name: 'until', label: t('pushes.filter.until') }}
      />
    </Filters>
  )
}

function useCsvColumns(): CsvColumn<PushListed>[] {
  const { t } = useTranslation()
  return [
    [t('pushes.list.at'), ({ at }) => at],
    [t('pushes.filter.requestId'), ({ requestId }) => requestId],
    [t('pushes.list.kind'), ({ kind }) => t(`pushes.kind.${kind}`)],
    [t('pushes.list.outcome'), ({ outcome }) => t(`pushes.outcome.${outcome}`)],
    [t('pushes.list.status'), ({ status }) => status],
    [t('pushes.filter.problem'), ({ problems }) => problems?.types.join(' ') ?? ''],
    [t('pushes.filter.supplier'), ({ supplier }) => supplier],
    [t('hotels.facts.code'), ({ hotelCode }) => hotelCode ?? ''],
    [t('pushes.list.hotel'), ({ hotelName }) => hotelName ?? ''],
    [t('pushes.list.cells'), ({ cellsChanged }) => cellsChanged],
    [t('pushes.list.duration'), ({ durationMs }) => durationMs],
    [t('pushes.list.size'), ({ bodyBytes }) => bodyBytes],
  ]
}

function useColumns(): Column<PushListed>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'at',
      sorting: { by: ({ at }) => at },
      header: t('pushes.list.at'),
      cell: ({ pushId, at, requestId }) => (
        <Stack gap={0}>
          <LinkTo to="/pushes/$pushId" params={{ pushId: String(pushId) }} fz="sm" fw={500}>
            <Time at={at} />
          </LinkTo>
          <Text size="xs" c="dimmed" ff="monospace" className={classes['id']}>
            {requestId}
          </Text>
        </Stack>
      ),
    },
    {
      key: 'kind',
      sorting: { by: ({ kind }) => kind },
      header: t('pushes.list.kind'),
      cell: ({ kind }) => t(`pushes.kind.${kind}`),
    },
    {
      key: 'outcome',
      sorting: { by: ({ outcome }) => outcome },
      header: t('pushes.list.outcome'),
      cell: ({ outcome, problems }) => (
        <>
          <OutcomeBadge outcome={outcome} />
          {problems && <PushProblems problems={problems} />}
        </>
      ),
    },
    {
      key: 'status',
      sorting: { by: ({ status }) => status },
      header: t('pushes.list.status'),
      align: 'right',
      cell: ({ status }) => <span className="figures">{status}</span>,
    },
    {
      key: 'hotel',
      sorting: { by: ({ hotelName }) => hotelName },
      header: t('pushes.list.hotel'),
      cell: (push) => (
        <Stack gap={0}>
          <HotelOf push={push} />
          <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(push.supplierId) }} fz="xs">
            {push.supplier}
          </LinkTo>
        </Stack>
      ),
    },
    {
      key: 'cells',
      total: (rows) => <Count n={rows.reduce((sum, { cellsChanged }) => sum + cellsChanged, 0)} />,
      sorting: { by: ({ cellsChanged }) => cellsChanged },
      header: t('pushes.list.cells'),
      align: 'right',
      cell: ({ cellsChanged }) => <Count n={cellsChanged} />,
    },
    {
      key: 'duration',
      sorting: { by: ({ durationMs }) => durationMs },
      header: t('pushes.list.duration'),
      align: 'right',
      cell: ({ durationMs }) => <span className="figures">{t('pushes.list.ms', { ms: durationMs })}</span>,
    },
    {
      key: 'size',
      total: (rows) => <Bytes n={rows.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)} />,
      sorting: { by: ({ bodyBytes }) => bodyBytes },
      header: t('pushes.list.size'),
      align: 'right',
      cell: ({ bodyBytes }) => <Bytes n={bodyBytes} />,
    },
  ]
}

export function HotelOf({ push: { hotelId, hotelCode, hotelName, hotels } }: { push: PushListed }) {
  const { t } = useTranslation()
  if (hotelId !== null)
    return (
      <LinkTo to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }} fz="sm">
        {hotelName ?? hotelCode}
      </LinkTo>
    )
  if (hotels > 0) return t('pushes.list.hotels', { count: hotels })
  return (
    <Text span size="sm" c="dimmed">
      {hotelCode ?? t('pushes.list.noHotel')}
    </Text>
  )
}

const linesMax = 3
const typesMax = 3

/** Why a push was refused or only partly applied, in a few lines; each type links to all pushes with it. */
function PushProblems({ problems }: { problems: NonNullable<PushListed['problems']> }) {
  const { t } = useTranslation()
  const { count, types, message } = problems
  return (
    <div className={classes['reason']}>
      {types.slice(0, typesMax).map((type) => (
        <LinkTo
          key={type}
          to="."
          search={(before: Readonly<Record<string, string | undefined>>) => ({ ...before, problem: type })}
          fz="xs"
          ff="monospace"
          display="block"
          title={t('pushes.list.allWith', { type })}
        >
          {type}
        </LinkTo>
      ))}
      <Text size="xs" c="dimmed" lineClamp={linesMax} title={message}>
        {message}
      </Text>
      {count > 1 && (
        <Text size="xs" c="dimmed">
          {t('pushes.list.moreProblems', { count: count - 1 })}
        </Text>
      )}
    </div>
  )
}
