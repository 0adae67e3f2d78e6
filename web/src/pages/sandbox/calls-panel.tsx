import { Button, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { Pause, Play } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SandboxCall, SandboxCallShown } from '../../../../src/console-api/sandbox/contract.ts'
import { useApi } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Dialog } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useFilter } from '../../parts/lists/filters.tsx'
import { JsonView } from '../../parts/values/json-view.tsx'
import { PageWait } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Ago, Time } from '../../parts/values/time.tsx'
import { outcomeLabel } from '../deliveries/delivery-badge.tsx'
import { isGoodStatus, kindOfPing, resultOfPing } from '../suppliers/webhook-line.tsx'
import classes from './sandbox.module.css'

const everyMs = 1_500

/** The latest calls to the supplier's URLs, newest first, with the one in the page's URL opened. */
export function CallsPanel({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const [isPaused, setPaused] = useState(false)
  const [opened, open] = useFilter('call')
  const { data, error, isPending, refetch } = useApi(
    'listSandboxCalls',
    { params: { supplierId } },
    isPaused ? {} : { everyMs },
  )
  const calls = data?.calls ?? []
  return (
    <section className={`${classes['panel']} ${classes['watch']}`} aria-labelledby="calls">
      <Group justify="space-between" mb="sm">
        <Group gap="xs">
          <Title order={2} id="calls">
            {t('sandbox.calls.title')}
          </Title>
          <StatusBadge
            kind={isPaused ? 'idle' : 'good'}
            label={t(isPaused ? 'sandbox.calls.paused' : 'sandbox.calls.live')}
          />
        </Group>
        <Button
          variant="default"
          leftSection={isPaused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
          onClick={() => setPaused(!isPaused)}
        >
          {t(isPaused ? 'sandbox.calls.goOn' : 'sandbox.calls.pause')}
        </Button>
      </Group>
      <CallAnnouncer newestId={data ? (calls[0]?.id ?? 0) : undefined} calls={calls} />
      <DataTable
        caption={t('sandbox.calls.caption')}
        columns={useColumns((id) => open(String(id)))}
        rows={calls}
        rowKey={({ id }) => id}
        isPending={isPending}
        error={error}
        onRetry={() => void refetch()}
        empty={{ title: t('sandbox.calls.none'), hint: t('sandbox.calls.noneHint') }}
      />
      {/^\d{1,10}$/.test(opened) && (
        <CallDetail supplierId={supplierId} callId={opened} onClose={() => open('')} />
      )}
    </section>
  )
}

/** Announces new calls to screen readers. */
function CallAnnouncer({ newestId, calls }: { newestId: number | undefined; calls: readonly SandboxCall[] }) {
  const { t } = useTranslation()
  const announcedId = useRef<number | undefined>(undefined)
  const [text, setText] = useState('')
  useEffect(() => {
    const before = announcedId.current
    announcedId.current = newestId
    if (before === undefined || newestId === undefined || newestId <= before) return
    setText(t('sandbox.calls.announced', { count: calls.filter(({ id }) => id > before).length }))
  }, [newestId, calls, t])
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  )
}

function useColumns(open: (id: number) => void): Column<SandboxCall>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'call',
      sorting: { by: ({ calls }) => calls },
      header: t('sandbox.calls.call'),
      cell: ({ calls }) => (
        <Text size="sm" fw={500} component="span" className={classes['figure']}>
          {t(`sandbox.calls.${calls}`)}
        </Text>
      ),
    },
    {
      key: 'result',
      header: t('sandbox.calls.result'),
      width: 150,
      cell: (call) => <Result call={call} />,
    },
    {
      key: 'took',
      sorting: { by: ({ durationMs }) => durationMs },
      header: t('sandbox.calls.took'),
      align: 'right',
      cell: ({ durationMs: ms }) => (
        <span className={classes['figure']}>{t('sandbox.calls.ms', { ms })}</span>
      ),
    },
    {
      key: 'at',
      sorting: { by: ({ at }) => at },
      header: t('sandbox.calls.at'),
      cell: ({ at }) => <Ago at={at} />,
    },
    {
      key: 'show',
      header: t('sandbox.calls.show'),
      isHeaderHidden: true,
      cell: ({ id }) => (
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t('sandbox.calls.showOf', { id })}
          onClick={() => open(id)}
        >
          {t('sandbox.calls.show')}
        </Button>
      ),
    },
  ]
}

function Result({ call: { calls, outcome, httpStatus } }: { call: SandboxCall }) {
  const { t } = useTranslation()
  if (httpStatus === null) return <StatusBadge kind="bad" label={outcomeLabel(t, outcome)} />
  // Any other status is a fault, except for pings.
  const ofPing = calls === 'ping' ? resultOfPing(httpStatus) : undefined
  const kind = ofPing ? kindOfPing[ofPing] : isGoodStatus(httpStatus) ? 'good' : 'bad'
  const word = ofPing === 'reached' ? 'reached' : 'answered'
  return <StatusBadge kind={kind} label={t(`sandbox.calls.${word}`, { status: httpStatus })} />
}

function CallDetail({
  supplierId,
  callId,
  onClose,
}: {
  supplierId: number
  callId: string
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { data, error, refetch } = useApi('getSandboxCall', { params: { supplierId, callId } })
  return (
    <Dialog isOpen onClose={onClose} size="xl" title={t('sandbox.calls.detail', { id: callId })}>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <PageWait />}
      {data && <CallFacts call={data.call} />}
    </Dialog>
  )
}

function CallFacts({ call }: { call: SandboxCallShown }) {
  const { t } = useTranslation()
  const { calls, url, webhookId, requestId, request, answer, at } = call
  return (
    <Stack gap="md">
      <dl className={classes['facts']}>
        <dt>{t('sandbox.calls.call')}</dt>
        <dd>
          {t(`sandbox.calls.${calls}`)} <Result call={call} />{' '}
          {t('sandbox.calls.ms', { ms: call.durationMs })}
        </dd>
        <dt>{t('sandbox.calls.at')}</dt>
        <dd>
          <Time at={at} />
        </dd>
        <dt>{t('sandbox.calls.to')}</dt>
        <dd>
          <Code>{url}</Code>
        </dd>
        <dt>{t('sandbox.calls.webhookId')}</dt>
        <dd>
          <Code copies={t('sandbox.calls.webhookId')}>{webhookId}</Code>
        </dd>
        <dt>{t('sandbox.calls.requestId')}</dt>
        <dd>
          <Code copies={t('sandbox.calls.requestId')}>{requestId}</Code>
        </dd>
      </dl>
      <Body title={t('sandbox.calls.request')} text={request} />
      <Body title={t('sandbox.calls.answer')} text={answer ?? t('sandbox.calls.notKept')} />
    </Stack>
  )
}

function Body({ title, text }: { title: string; text: string }) {
  const { t } = useTranslation()
  const value = parsed(text)
  return (
    <section>
      <Title order={3} mb={4}>
        {title}
      </Title>
      {value === undefined ? (
        <Text size="sm" className={classes['plain']}>
          {text === '' ? t('sandbox.calls.noAnswer') : text}
        </Text>
      ) : (
        <JsonView value={value} label={title} />
      )}
    </section>
  )
}

/** Undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
