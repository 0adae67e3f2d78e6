import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { HoldExample } from '../../../../src/ari/guard/contract.ts'
import type { ConsoleHold } from '../../../../src/console-api/holds/contract.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import { HotelCell, LinkTo } from '../../parts/link-to.tsx'
import { Can } from '../../parts/session.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Ago, dateText, Time } from '../../parts/values/time.tsx'
import { Count } from '../../parts/values/numbers.tsx'
import { fieldText } from '../calendar/panels/words.ts'
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
      cell: (hold) => <HotelCell {...hold} />,
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
      sorting: { by: ({ expiresAt, resolvedAt }) => resolvedAt ?? expiresAt },
      header: t('holds.ends'),
      cell: (hold) => <Ends hold={hold} />,
    },
    { key: 'action', header: t('holds.action'), align: 'right', cell: (hold) => <Action hold={hold} /> },
  ]
}

function Ends({ hold: { state, expiresAt, onExpiry, resolvedAt, resolvedBy } }: { hold: ConsoleHold }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0}>
      {resolvedAt === null ? <Time at={expiresAt} /> : <Ago at={resolvedAt} />}
      <Text size="xs" c="dimmed">
        {state === 'open'
          ? t(`holds.onExpiry.${onExpiry}`)
          : resolvedBy === null
            ? t(`holds.states.${state}`)
            : t(`holds.endedBy.${resolvedBy}`)}
      </Text>
    </Stack>
  )
}

/** Equal values of nights in a row, as one line. */
function stretches(examples: readonly HoldExample[]): (HoldExample & { last: string })[] {
  const found: (HoldExample & { last: string })[] = []
  for (const example of examples) {
    const open = found.at(-1)
    if (open && isNextNight(open.last, example.date) && valuesOf(open) === valuesOf(example))
      open.last = example.date
    else found.push({ ...example, last: example.date })
  }
  return found
}

const valuesOf = ({
  roomId,
  rateId,
  field,
  guests,
  ageCategory,
  before,
  after,
  bound,
}: HoldExample): string => JSON.stringify([roomId, rateId, field, guests, ageCategory, before, after, bound])

const dayMs = 86_400_000
const isNextNight = (night: string, next: string): boolean => Date.parse(next) - Date.parse(night) === dayMs

function Examples({ hold: { examples, cells, rule, currency } }: { hold: ConsoleHold }) {
  const { t } = useTranslation()
  const countsNights = rule === 'massOpen' || rule === 'massClose'
  const more = cells - examples.length
  const shown = (value: number | boolean | null): string => {
    if (typeof value === 'boolean') return t(value ? 'calendar.holds.yes' : 'calendar.holds.no')
    return value === null ? '–' : String(value)
  }
  return (
    <Stack gap={2}>
      {stretches(examples).map((example) => {
        const { roomId, rateId, date, last, before, after, bound } = example
        const [from, to] = [dateText(date), dateText(last)]
        return (
          <Text key={`${date} ${valuesOf(example)}`} size="xs">
            {rateId === null ? roomId : `${roomId} / ${rateId}`},{' '}
            {date === last ? from : t('holds.dates', { from, to })} · {fieldText(t, example)}: {shown(before)}{' '}
            → {shown(after)}
            {example.field === 'price' && currency !== null && `\u00a0${currency}`}
            {bound === null ? '' : ` ${t(countsNights ? 'holds.boundNights' : 'holds.bound', { bound })}`}
          </Text>
        )
      })}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {t('holds.more', { count: more })}
        </Text>
      )}
    </Stack>
  )
}

function Action({ hold }: { hold: ConsoleHold }) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState<'release' | 'discard'>()
  const { hotelName: hotel, state } = hold
  const rule = t(`holds.rules.${hold.rule}`)
  if (state !== 'open') return null
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
