import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ListedStopSell } from '../../../../src/console-api/stop-sells/contract.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import type { CsvColumn } from '../../parts/lists/export-csv.tsx'
import { HotelCell } from '../../parts/link-to.tsx'
import { Can } from '../../parts/session.tsx'
import { Ago, dateText, Time } from '../../parts/values/time.tsx'
import { ResumeButton } from './resume-button.tsx'
import classes from './stop-sells.module.css'

export function useStopSellColumns(): Column<ListedStopSell>[] {
  const { t } = useTranslation()
  return [
    {
      key: 'hotel',
      header: t('stopSells.hotel'),
      cell: (row) => <HotelCell {...row} />,
      sorting: { by: ({ hotelName }) => hotelName },
    },
    { key: 'what', header: t('stopSells.what'), cell: (row) => <StoppedRows stopSell={row} /> },
    {
      key: 'reason',
      header: t('stopSells.reason'),
      cell: ({ reason }) => (
        <Text size="sm" className={classes['reason']}>
          {reason ?? t('stopSells.noReason')}
        </Text>
      ),
    },
    {
      key: 'by',
      header: t('stopSells.by'),
      cell: ({ operator }) => operator,
      sorting: { by: ({ operator }) => operator },
    },
    {
      key: 'since',
      header: t('stopSells.since'),
      cell: ({ at }) => <Ago at={at} />,
      sorting: { by: ({ at }) => at },
    },
    {
      key: 'ends',
      header: t('stopSells.ends'),
      cell: (row) => <Ends stopSell={row} />,
      sorting: { by: ({ until, endedAt }) => endedAt ?? until },
    },
    {
      key: 'action',
      header: t('stopSells.action'),
      align: 'right',
      cell: (row) =>
        row.endedAt === null && (
          <Can role="operator">
            <ResumeButton stopSell={row} />
          </Can>
        ),
    },
  ]
}

/** The first rows, as the list shows them. */
export function useStopSellCsv(): CsvColumn<ListedStopSell>[] {
  const { t } = useTranslation()
  return [
    [t('stopSells.hotel'), ({ hotelName }) => hotelName],
    [t('stopSells.supplier'), ({ supplier }) => supplier],
    [
      t('stopSells.what'),
      (stopSell) =>
        [
          ...stoppedNights(stopSell).map(({ from, to, rooms }) => `${rooms.join(', ')} ${from}/${to}`),
          ...(stopSell.moreRows > 0 ? [t('stopSells.more', { count: stopSell.moreRows })] : []),
        ].join('; '),
    ],
    [t('stopSells.reason'), ({ reason }) => reason ?? ''],
    [t('stopSells.by'), ({ operator }) => operator],
    [t('stopSells.since'), ({ at }) => at],
    [t('stopSells.ends'), ({ until, endedAt }) => endedAt ?? until ?? ''],
    [t('stopSells.endedByHeader'), ({ endedBy }) => endedBy ?? ''],
  ]
}

type StoppedNights = { from: string; to: string; rooms: string[]; isWhole: boolean }

/** The rows by their nights: the same nights of many rooms are one line. */
function stoppedNights({ rows }: ListedStopSell): StoppedNights[] {
  const byNights = Map.groupBy(rows, ({ from, to, rateId }) => `${from} ${to} ${rateId === null}`)
  return [...byNights.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const { from, to } = first
    const rooms = same.map(({ roomId, rateId }) => (rateId === null ? roomId : `${roomId} / ${rateId}`))
    return [{ from, to, rooms, isWhole: first.rateId === null }]
  })
}

function StoppedRows({ stopSell }: { stopSell: ListedStopSell }) {
  const { t } = useTranslation()
  return (
    <Stack gap={2}>
      {stoppedNights(stopSell).map(({ from, to, rooms, isWhole }) => {
        const named = rooms.join(', ')
        return (
          <Text key={`${from} ${to} ${isWhole}`} size="xs">
            {isWhole ? t('stopSells.wholeRooms', { rooms: named }) : named}
            {': '}
            <span className={classes['nights']}>
              {from === to
                ? dateText(from)
                : t('stopSells.nights', { from: dateText(from), to: dateText(to) })}
            </span>
          </Text>
        )
      })}
      {stopSell.moreRows > 0 && (
        <Text size="xs" c="dimmed">
          {t('stopSells.more', { count: stopSell.moreRows })}
        </Text>
      )}
    </Stack>
  )
}

function Ends({ stopSell: { until, endedAt, endedBy } }: { stopSell: ListedStopSell }) {
  const { t } = useTranslation()
  if (endedAt === null) return until === null ? t('stopSells.untilResumed') : <Time at={until} />
  return (
    <Stack gap={0}>
      <Ago at={endedAt} />
      <Text size="xs" c="dimmed">
        {endedBy === null ? t('stopSells.endedItself') : t('stopSells.endedBy', { name: endedBy })}
      </Text>
    </Stack>
  )
}
