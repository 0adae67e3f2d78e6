import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CalendarCell, CellPush, CellValue } from '../../../../../src/console-api/calendar/contract.ts'
import { useApi } from '../../../api.ts'
import { ErrorNote } from '../../../parts/error-note.tsx'
import { LinkTo } from '../../../parts/link-to.tsx'
import { Can } from '../../../parts/session.tsx'
import { StatusBadge } from '../../../parts/values/status-badge.tsx'
import { dateText, Time } from '../../../parts/values/time.tsx'
import classes from '../calendar.module.css'
import { Panel, Setter } from './panel.tsx'
import type { CellWords } from '../grid/rows.ts'
import { fieldText } from './words.ts'

export type CellAddress = { hotelId: number; room: string; rate: string; night: string }

/** One night of a room or room-rate: its values, their origin, and the pushes that include it. */
export function CellPanel({
  address,
  names,
  zone,
  reasons,
  words,
  takesFocus,
  onClose,
  onExplain,
}: {
  address: CellAddress
  /** For the room, and for the rate. */
  names: readonly string[]
  zone: string
  reasons: readonly Parameters<CellWords['reason']>[0][]
  words: CellWords
  takesFocus: boolean
  onClose: () => void
  /** Opens the explanation of a stay of this many nights. */
  onExplain: (nights: number) => void
}) {
  const { t } = useTranslation()
  const { hotelId, room, rate, night } = address
  const cell = useApi('getCalendarCell', { params: { hotelId }, query: { room, rate, night } })
  return (
    <Panel title={dateText(night)} takesFocus={takesFocus} onClose={onClose}>
      <Stack gap="md">
        <div>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {names.join(' · ')}
          </Text>
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {rate === '' ? room : `${room} · ${rate}`}
          </Text>
        </div>
        <Group gap={6}>
          {reasons.length === 0 ? (
            <StatusBadge kind="good" label={t('calendar.cell.sellable')} />
          ) : (
            reasons.map((reason) => <StatusBadge key={reason} kind="bad" label={words.reason(reason)} />)
          )}
        </Group>
        <Group gap="xs" aria-label={t('calendar.explain.question')} role="group">
          <Text size="sm">{t('calendar.explain.question')}</Text>
          {[1, 2, 3, 7].map((nights) => (
            <Button key={nights} variant="default" size="compact-xs" onClick={() => onExplain(nights)}>
              {t('calendar.explain.nights', { count: nights })}
            </Button>
          ))}
        </Group>
        {cell.error && <ErrorNote error={cell.error} onRetry={() => void cell.refetch()} />}
        {cell.isPending && <Skeleton height={160} />}
        {cell.data && (
          <>
            <Values cell={cell.data} zone={zone} />
            <History cell={cell.data} zone={zone} />
          </>
        )}
      </Stack>
    </Panel>
  )
}

function Values({ cell, zone }: { cell: CalendarCell; zone: string }) {
  const { t } = useTranslation()
  if (cell.values.length === 0) return <Text size="sm">{t('calendar.cell.nothing')}</Text>
  return (
    <table className={`${classes['values'] ?? ''} ${classes['setValues'] ?? ''}`}>
      <caption hidden>{t('calendar.cell.values')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('calendar.cell.what')}</th>
          <th scope="col">{t('calendar.cell.value')}</th>
          <th scope="col">{t('calendar.cell.setBy')}</th>
        </tr>
      </thead>
      <tbody>
        {cell.values.map((value) => (
          <tr key={`${value.of} ${value.field} ${value.ageCategory ?? ''} ${value.guests ?? ''}`}>
            <th scope="row">
              <FieldName value={value} />
            </th>
            <td>
              <Held value={value} currency={cell.currency} />
            </td>
            <td>
              <Setter setBy={value.setBy} zone={zone} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function FieldName({ value }: { value: CellValue }) {
  const { t } = useTranslation()
  const { of, field, ageCategory, value: stored } = value
  const isOfUnit = field === 'price' && ageCategory === undefined && stored !== null
  return (
    <>
      {fieldText(t, value)}
      {of === 'room' && (
        <Text span size="xs" c="dimmed">
          {' '}
          {t('calendar.cell.ofRoom')}
        </Text>
      )}
      {isOfUnit && (
        <Text size="xs" c="dimmed">
          {t('calendar.cell.perUnit')}
        </Text>
      )}
    </>
  )
}

function Held({ value, currency }: { value: CellValue; currency: string }) {
  const { t } = useTranslation()
  const { value: stored, field, isFormerCurrency } = value
  if (stored === null)
    return (
      <Text span c="dimmed">
        {t('calendar.cell.cleared')}
      </Text>
    )
  if (stored === true) return <strong>{t('calendar.cell.on')}</strong>
  if (isFormerCurrency === true)
    return (
      <Text span c="dimmed">
        {t('calendar.cell.former', { amount: stored })}
      </Text>
    )
  return <strong>{field === 'price' ? `${String(stored)} ${currency}` : String(stored)}</strong>
}

function History({ cell, zone }: { cell: CalendarCell; zone: string }) {
  const { t } = useTranslation()
  const { history, isWhole, searchedBackTo, archiveAwayAt } = cell
  return (
    <div>
      <Title order={3} mb={4}>
        {t('calendar.history.title')}
      </Title>
      <ul className={classes['pushes']}>
        {history.map((push) => (
          <li key={push.pushId}>
            <PushLine push={push} zone={zone} />
          </li>
        ))}
      </ul>
      <Text size="xs" c="dimmed" component="div">
        {history.length === 0 && <>{t('calendar.history.none')} </>}
        {isWhole && t('calendar.history.whole')}
        {archiveAwayAt !== null && (
          <>
            {t('calendar.history.archiveAway')} <Time at={archiveAwayAt} zone={zone} />
          </>
        )}
        {!isWhole && archiveAwayAt === null && searchedBackTo !== null && (
          <>
            {t('calendar.history.partly')} <Time at={searchedBackTo} zone={zone} />
          </>
        )}
      </Text>
    </div>
  )
}

function PushLine({ push, zone }: { push: CellPush; zone: string }) {
  const { t } = useTranslation()
  const kind = push.outcome === 'rejected' ? 'bad' : push.outcome === 'partial' ? 'warn' : 'idle'
  return (
    <>
      <Group gap="xs" justify="space-between">
        <LinkTo
          to="/pushes/$pushId"
          params={{ pushId: String(push.pushId) }}
          size="sm"
          underline="always"
          title={push.requestId}
        >
          <Time at={push.at} zone={zone} />
        </LinkTo>
        <StatusBadge
          kind={push.kind === 'stopSell' ? 'warn' : kind}
          label={push.kind === 'ari' ? push.outcome : t(`calendar.history.kind.${push.kind}`)}
        />
      </Group>
      {(push.outcome === 'applied' || push.outcome === 'partial') && push.kind !== 'stopSell' && (
        <Can role="operator">
          <LinkTo
            to="/pushes/$pushId"
            params={{ pushId: String(push.pushId) }}
            search={{ undo: '1' }}
            size="xs"
          >
            {t('calendar.history.undo')}
          </LinkTo>
        </Can>
      )}
      {push.items.map(({ item, sent }) => (
        <code key={item} className={classes['sent']}>
          {t('calendar.history.item', { item })} {spaced(sent)}
        </code>
      ))}
    </>
  )
}

/** Broken between members rather than within one. */
function spaced(sent: Readonly<Record<string, unknown>>): string {
  return Object.entries(sent)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ')
}
