import { Checkbox, Group, Stack, Text } from '@mantine/core'
import { Filter } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListedDelivery } from '../../../../src/console-api/deliveries/contract.ts'
import type { Column } from '../../parts/lists/data-table.tsx'
import { HotelCell, LinkTo, ReservationLink } from '../../parts/link-to.tsx'
import { Ago, Arrival, Soon, Time } from '../../parts/values/time.tsx'
import classes from './deliveries.module.css'
import { AlertBadge, DeliveryBadge, LastNote, maySendAgain, OutcomeText } from './delivery-badge.tsx'

/** The views of the list, by state. The first is the default. */
export const viewNames = [
  'undelivered',
  'failing',
  'dead',
  'no_url',
  'delivered',
  'superseded',
  'all',
] as const
export type ViewName = (typeof viewNames)[number]

type Marking = {
  view: ViewName
  marked: ReadonlySet<string>
  /** Absent if nothing can be selected. */
  mark: ((ids: readonly string[], isMarked: boolean) => void) | undefined
}

export function useDeliveryColumns({ view, marked, mark }: Marking): Column<ListedDelivery>[] {
  const { t } = useTranslation()
  const choose: Column<ListedDelivery> = {
    key: 'choose',
    header: t('deliveries.column.choose'),
    isHeaderHidden: true,
    width: 44,
    cell: (row) =>
      maySendAgain(row) && (
        <Checkbox
          aria-label={t('deliveries.chooseOne', { id: row.reservationId })}
          checked={marked.has(row.deliveryId)}
          onChange={(event) => mark?.([row.deliveryId], event.currentTarget.checked)}
        />
      ),
  }
  const isPast = view === 'delivered' || view === 'superseded'
  const times: Column<ListedDelivery>[] = isPast
    ? [
        {
          key: 'delivered',
          sorting: { by: ({ deliveredAt }) => deliveredAt },
          header: t('deliveries.column.delivered'),
          cell: ({ deliveredAt, timeZone }) => <Time at={deliveredAt} zone={timeZone} />,
        },
      ]
    : [
        {
          key: 'since',
          sorting: { by: sinceOf },
          header: t('deliveries.column.since'),
          cell: (row) => <Since row={row} />,
        },
        {
          key: 'next',
          sorting: { by: ({ dueAt }) => dueAt },
          header: t('deliveries.column.next'),
          cell: (row) => <Next row={row} />,
        },
      ]
  const arrival: Column<ListedDelivery> = {
    key: 'arrival',
    sorting: { by: ({ arrivesAt }) => arrivesAt },
    header: t('deliveries.column.arrival'),
    cell: ({ arrivesAt, timeZone }) => <Arrival at={arrivesAt} zone={timeZone} />,
  }
  return [
    ...(mark ? [choose] : []),
    {
      key: 'reservation',
      sorting: { by: ({ reservationId }) => reservationId },
      header: t('deliveries.column.reservation'),
      cell: (row) => <Reservation row={row} />,
    },
    {
      key: 'state',
      sorting: { by: ({ state }) => t(`deliveries.state.${state}`) },
      header: t('deliveries.column.state'),
      cell: (row) => <State row={row} />,
    },
    ...times,
    arrival,
    {
      key: 'last',
      sorting: { by: ({ attempts }) => attempts },
      header: t('deliveries.column.last'),
      cell: (row) => <Last row={row} />,
    },
    {
      key: 'hotel',
      sorting: { by: ({ hotelName }) => hotelName },
      header: t('deliveries.column.hotel'),
      cell: (row) => <HotelCell {...row} />,
    },
  ]
}

function Reservation({ row }: { row: ListedDelivery }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0}>
      <ReservationLink fz="sm" id={row.reservationId}>
        {row.reservationId}
      </ReservationLink>
      <Text size="xs" c="dimmed">
        {t('deliveries.version', { version: row.version })}
      </Text>
      {row.reservationStatus === 'Cancel' && <Text size="xs">{t('deliveries.cancellation')}</Text>}
    </Stack>
  )
}

function State({ row }: { row: ListedDelivery }) {
  const { t } = useTranslation()
  return (
    <Stack gap={4} align="flex-start">
      <DeliveryBadge state={row.state} />
      {row.alertedAt !== null && !row.isRepeat && <AlertBadge />}
      {row.isRepeat && (
        <Text size="xs" c="dimmed">
          {t('deliveries.repeat')}
        </Text>
      )}
      <LastNote note={row.lastNote} />
    </Stack>
  )
}

/** A click shows all deliveries waiting for the same URL. */
function Endpoint({ row: { endpoint } }: { row: ListedDelivery }) {
  const { t } = useTranslation()
  if (endpoint === null) return null
  const place = endpoint.place ?? t('deliveries.formerUrl')
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="xs" c="dimmed" className={classes['place']}>
        <Breakable text={place} />
      </Text>
      <LinkTo
        to="/deliveries"
        search={{ endpoint: endpoint.id }}
        aria-label={`${t('deliveries.filter.onlyEndpoint')}: ${place}`}
        title={t('deliveries.filter.onlyEndpoint')}
      >
        <Filter size={14} aria-hidden />
      </LinkTo>
    </Group>
  )
}

/** Wraps after the slashes of a path first, not within its words. */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=\/)/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ))
}

function Last({ row }: { row: ListedDelivery }) {
  const { t } = useTranslation()
  return (
    <Stack gap={0}>
      {row.outcome !== null && (
        <Text size="sm">
          <OutcomeText outcome={row.outcome} httpStatus={row.httpStatus} />
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {t('deliveries.attempts', { count: row.attempts })}
      </Text>
      <Endpoint row={row} />
    </Stack>
  )
}

/** Times of one form, which sort as texts. */
function sinceOf({ state, deliveredAt, undeliveredSince }: ListedDelivery): string | null {
  return state === 'delivered' ? deliveredAt : undeliveredSince
}

function Since({ row }: { row: ListedDelivery }) {
  return row.state === 'delivered' ? (
    <Time at={row.deliveredAt} zone={row.timeZone} />
  ) : (
    <Ago at={row.undeliveredSince} />
  )
}

function Next({ row }: { row: ListedDelivery }) {
  const { t } = useTranslation()
  if (row.dueAt !== null) return <Soon at={row.dueAt} />
  return (
    <Text size="sm" c="dimmed">
      {row.isForHourlyRun || row.state === 'no_url' ? t('deliveries.hourlyRun') : t('deliveries.noNext')}
    </Text>
  )
}
