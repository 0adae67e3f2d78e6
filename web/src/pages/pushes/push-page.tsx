import { Anchor, Button, Group, Skeleton, Stack, Tabs, Text, Title } from '@mantine/core'
import { Download } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  PushListed,
  PushPage as PushRead,
  ShownBody,
} from '../../../../src/console-api/pushes/contract.ts'
import { urlOf, useApi } from '../../api.ts'
import { Code } from '../../parts/values/code.tsx'
import { useFilter, useIdParam, useSetFilters } from '../../parts/lists/filters.tsx'
import { JsonView } from '../../parts/values/json-view.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Bytes } from '../../parts/values/numbers.tsx'
import { Page } from '../../parts/page.tsx'
import { Can } from '../../parts/session.tsx'
import { Time } from '../../parts/values/time.tsx'
import { UnreadPage } from '../../parts/unknown-page.tsx'
import { Facts } from '../hotels/hotel-details.tsx'
import { CopyMessage } from './copy-message.tsx'
import { GuideTo } from './guide-to.tsx'
import { OutcomeBadge } from './outcome-badge.tsx'
import { PushChanged } from './push-changed.tsx'
import { PushItems } from './push-items.tsx'
import { HotelOf } from './pushes-page.tsx'
import { isUndoable, UndoDialog } from './undo-dialog.tsx'
import classes from './pushes.module.css'

const tabs = ['items', 'changes', 'body', 'answer'] as const

export function PushPage() {
  const { t } = useTranslation()
  const pushId = useIdParam('pushId')
  const { data, error, refetch } = useApi('getPush', { params: { pushId } })
  const crumbs = [
    <LinkTo key="pushes" to="/pushes" fz="xs">
      {t('pushes.title')}
    </LinkTo>,
  ]
  if (error && !data)
    return (
      <UnreadPage
        what="push"
        title={t('pushes.title')}
        crumbs={crumbs}
        error={error}
        onRetry={() => void refetch()}
      />
    )
  if (!data) {
    return (
      <Page title={t('pushes.title')} crumbs={crumbs}>
        <Skeleton height={240} />
      </Page>
    )
  }
  const { push, problems, sameRequestId } = data
  return (
    <Page
      title={t('pushes.pushTitle', { kind: t(`pushes.kind.${push.kind}`) })}
      crumbs={crumbs}
      beside={
        <>
          <OutcomeBadge outcome={push.outcome} />
          {isUndoable(push) && <Undo push={push} />}
        </>
      }
      intro={<Time at={push.at} />}
    >
      <Stack gap="md">
        <PushFacts push={push} />
        {problems.length > 0 && <Problems read={data} />}
        {sameRequestId.length > 0 && <SameRequestId pushes={sameRequestId} />}
        <Parts read={data} />
      </Stack>
    </Page>
  )
}

function Undo({ push }: { push: PushListed }) {
  const { t } = useTranslation()
  const [undo, setUndo] = useFilter('undo')
  return (
    <Can role="operator">
      <Button variant="default" size="xs" onClick={() => setUndo('1')}>
        {t('pushes.undo.open')}
      </Button>
      {undo !== '' && <UndoDialog push={push} onClose={() => setUndo('')} />}
    </Can>
  )
}

function PushFacts({ push }: { push: PushListed }) {
  const { t } = useTranslation()
  const { supplierId, supplier, keyId, channelManager } = push
  const key =
    keyId === null ? (
      t('pushes.page.operator')
    ) : (
      <LinkTo
        key="key"
        to="/suppliers/$supplierId"
        params={{ supplierId: String(supplierId) }}
        search={{ key: String(keyId) }}
        fz="sm"
      >
        {t('pushes.page.keyOf', { keyId, channelManager: channelManager ?? '' })}
      </LinkTo>
    )
  const left: [string, ReactNode][] = [
    [t('pushes.page.hotel'), <HotelOf key="hotel" push={push} />],
    [
      t('pushes.page.supplier'),
      <LinkTo key="supplier" to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} fz="sm">
        {supplier}
      </LinkTo>,
    ],
    [t('pushes.page.key'), key],
    [
      t('pushes.page.requestId'),
      <Code key="requestId" copies={t('pushes.page.requestId')}>
        {push.requestId}
      </Code>,
    ],
  ]
  const right: [string, ReactNode][] = [
    [t('pushes.filter.status'), push.status],
    [t('pushes.page.duration'), t('pushes.list.ms', { ms: push.durationMs })],
    [t('pushes.page.size'), <Bytes key="size" n={push.bodyBytes} />],
    [t('pushes.page.revision'), push.revision ?? t('pushes.page.none')],
    [t('pushes.page.cells'), push.cellsChanged.toLocaleString('en')],
  ]
  return (
    <section className={classes['facts']} aria-label={t('pushes.page.facts')}>
      <Facts rows={left} />
      <Facts rows={right} />
    </section>
  )
}

function Problems({ read }: { read: PushRead }) {
  const { problems, moreProblems, items } = read
  const { t } = useTranslation()
  const setFilters = useSetFilters()
  return (
    <section>
      <Group justify="space-between" mb={4}>
        <Title order={2}>{t('pushes.page.problems')}</Title>
        <Can role="operator">
          <CopyMessage read={read} />
        </Can>
      </Group>
      <ul className={classes['problems']}>
        {problems.map(({ type, message, hint, path }, index) => (
          <li key={index}>
            <Text size="sm" fw={500}>
              {message} <Code>{type}</Code>
            </Text>
            {path !== undefined && (
              <Text size="sm" component="div">
                <Code>{path}</Code>{' '}
                {items > 0 && path.startsWith('/') && (
                  <Anchor
                    component="button"
                    type="button"
                    fz="sm"
                    onClick={() => setFilters({ tab: '', show: '', from: '', at: path })}
                  >
                    {t('pushes.page.showItem')}
                  </Anchor>
                )}
              </Text>
            )}
            {hint !== undefined && (
              <Text size="sm" c="dimmed">
                {hint}
              </Text>
            )}
            <Text size="sm" component="div">
              <GuideTo type={type} />
            </Text>
          </li>
        ))}
      </ul>
      {moreProblems > 0 && <Text size="sm">{t('pushes.page.moreProblems', { count: moreProblems })}</Text>}
    </section>
  )
}

function SameRequestId({ pushes }: { pushes: readonly PushListed[] }) {
  const { t } = useTranslation()
  return (
    <Text size="sm" component="div">
      {t('pushes.page.same', { count: pushes.length })}
      <ul className={classes['same']}>
        {pushes.map(({ pushId, at, outcome }) => (
          <li key={pushId}>
            <LinkTo to="/pushes/$pushId" params={{ pushId: String(pushId) }} fz="sm">
              <Time at={at} />
            </LinkTo>{' '}
            <OutcomeBadge outcome={outcome} />
          </li>
        ))}
      </ul>
    </Text>
  )
}

function Parts({ read }: { read: PushRead }) {
  const { t } = useTranslation()
  const [tab, setTab] = useFilter('tab')
  const { push, body, answer } = read
  // A refused request has no items: what was sent says more.
  const usual = read.items > 0 ? 'items' : 'body'
  const openTab = tabs.find((name) => name === tab) ?? usual
  return (
    <Tabs value={openTab} onChange={(name) => setTab(name === usual ? '' : (name ?? ''))} keepMounted={false}>
      <Tabs.List aria-label={t('pushes.tab.label')} mb="md">
        {tabs.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t(`pushes.tab.${name}`, { count: read.items })}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="items">
        <PushItems push={push} />
      </Tabs.Panel>
      <Tabs.Panel value="changes">
        <PushChanged push={push} changes={read.changes} />
      </Tabs.Panel>
      <Tabs.Panel value="body">
        <PushBody pushId={push.pushId} part="body" body={body} label={t('pushes.body.request')} />
      </Tabs.Panel>
      <Tabs.Panel value="answer">
        <PushBody pushId={push.pushId} part="answer" body={answer} label={t('pushes.body.answer')} />
      </Tabs.Panel>
    </Tabs>
  )
}

/** A body as received: a tree if it is complete JSON, otherwise its text. */
function PushBody({
  pushId,
  part,
  body,
  label,
}: {
  pushId: number
  part: 'body' | 'answer'
  body: ShownBody
  label: string
}) {
  const { t } = useTranslation()
  const { encoding, text, bytes, isCut } = body
  const isTree = encoding === 'json' && !isCut
  const value = useMemo((): unknown => (isTree ? JSON.parse(text) : undefined), [isTree, text])
  if (bytes === 0) return <Text size="sm">{t('pushes.body.empty')}</Text>
  return (
    <>
      <Group gap="sm" mb="xs">
        <Button
          component="a"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          href={urlOf('downloadPush', { params: { pushId, part } })}
          download={`push-${pushId}-${part}.json`}
        >
          {t('pushes.body.download')}
        </Button>
        <Text size="sm" c="dimmed">
          <Bytes n={bytes} />
        </Text>
        {encoding !== 'json' && <Text size="sm">{t(`pushes.body.${encoding}`)}</Text>}
        {isCut && <Text size="sm">{t('pushes.item.cut')}</Text>}
      </Group>
      {isTree ? (
        <JsonView value={value} label={label} />
      ) : (
        <pre className={classes['sent']} tabIndex={0} role="region" aria-label={label}>
          {text}
        </pre>
      )}
    </>
  )
}
