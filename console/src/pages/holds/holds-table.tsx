import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ConsoleHold } from '../../../../src/console/holds/contract.ts'
import type { Column } from '../../parts/data-table.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Can } from '../../parts/session.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Ago, dateText, Time } from '../../parts/time.tsx'
import { Count } from '../../parts/numbers.tsx'
import { fieldText } from '../calendar/words.ts'
import { DiscardDialog, ReleaseDialog } from './hold-dialogs.tsx'

export function useHoldColumns(): Column<ConsoleHold>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'rule',
      header: t('holds.rule'),
      cell: ({ rule }) => <StatusBadge kind="warn" label={t(`holds.rules.${rule}`)} />,
      sorting: { by: ({ rule }) => t(`holds.rules.${rule}`) },
    },
    {
      key: 'where',
      header: t('holds.where'),
      cell: (hold) => <Where hold={hold} />,
      sorting: { by: ({ hotelName }) => hotelName },
    },
    {
      key: 'nights',
      total: (rows) => <Count n={rows.reduce((sum, { cells }) => sum + cells, 0)} />,
      header: t('holds.nights'),
      align: 'right',
      cell: ({ cells }) => <Count n={cells} />,
      sorting: { by: ({ cells }) => cells },
    },
    { key: 'examples', header: t('holds.examples'), cell: (hold) => <Examples hold={hold} /> },
    {
      key: 'since',
      sorting: { by: ({ at }) => at },
      header: t('holds.since'),
      cell: ({ at, requestId }) => (
        <Stack gap={0}>
          <Ago at={at} />
          <LinkTo to="/pushes" search={{ requestId }} fz="xs">
            {t('holds.push')}
          </LinkTo>
        </Stack>
      ),
    },
    {
      key: 'ends',
      sorting: { by: ({ expiresAt }) => expiresAt },
      header: t('holds.ends'),
      cell: ({ expiresAt, onExpiry }) => (
        <Stack gap={0}>
          <Time at={expiresAt} />
          <Text size="xs" c="dimmed">
            {t(`holds.onExpiry.${onExpiry}`)}
          </Text>
        </Stack>
      ),
    },
    { key: 'action', header: t('holds.action'), align: 'right', cell: (hold) => <Action hold={hold} /> },
  ]
}

function Where({ hold: { supplierId, supplier, hotelId, hotelName } }: { hold: ConsoleHold }) {
  return (
    <Stack gap={0}>
      <LinkTo to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }}>
        {hotelName}
      </LinkTo>
      <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} fz="xs">
        {supplier}
      </LinkTo>
    </Stack>
  )
}

function Examples({ hold: { examples } }: { hold: ConsoleHold }) {
  const { t } = useTranslation()
  const shown = (value: number | boolean | null): string => {
    if (typeof value === 'boolean') return t(value ? 'calendar.holds.yes' : 'calendar.holds.no')
    return value === null ? '–' : String(value)
  }
  return (
    <Stack gap={2}>
      {examples.map((example, index) => {
        const { roomId, rateId, date, before, after, bound } = example
        return (
          <Text key={index} size="xs">
            {rateId === null ? roomId : `${roomId} / ${rateId}`}, {dateText(date)} · {fieldText(t, example)}:{' '}
            {shown(before)} → {shown(after)}
            {bound === null ? '' : ` ${t('holds.bound', { bound })}`}
          </Text>
        )
      })}
    </Stack>
  )
}

function Action({ hold }: { hold: ConsoleHold }) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState<'release' | 'discard'>()
  const { hotelName: hotel, state, resolvedBy } = hold
  const rule = t(`holds.rules.${hold.rule}`)
  if (state !== 'open')
    return (
      <Text size="xs" c="dimmed">
        {resolvedBy === null ? t(`holds.states.${state}`) : t(`holds.endedBy.${resolvedBy}`)}
      </Text>
    )
  const close = (): void => setAsking(undefined)
  return (
    <Can role="operator">
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t('holds.releaseWhat', { rule, hotel })}
          onClick={() => setAsking('release')}
        >
          {t('holds.release')}
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t('holds.discardWhat', { rule, hotel })}
          onClick={() => setAsking('discard')}
        >
          {t('holds.discard')}
        </Button>
      </Group>
      {asking === 'release' && <ReleaseDialog hold={hold} onClose={close} />}
      {asking === 'discard' && <DiscardDialog hold={hold} onClose={close} />}
    </Can>
  )
}
