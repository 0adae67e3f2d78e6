import { Button, Stack, Text, TextInput } from '@mantine/core'
import { CircleAlert, CircleCheck, CircleHelp, Clock, type LucideIcon, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reach, ShownCard, WholeReservation } from '../../../../src/console-api/bookings/contract.ts'
import { useApi, useChange } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useIdParam } from '../../parts/lists/filters.tsx'
import { JsonView } from '../../parts/values/json-view.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Facts, Page, PageWait, Section } from '../../parts/page.tsx'
import { Can, useCan } from '../../parts/session.tsx'
import { Money } from '../../parts/values/numbers.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Ago, Day, Soon, Time } from '../../parts/values/time.tsx'
import { LastAttempt } from '../deliveries/last-attempt.tsx'
import { useVisit } from '../../parts/visits.ts'
import { UnreadPage } from '../../parts/unknown-page.tsx'
import { ReservationStatus } from '../deliveries/delivery-badge.tsx'
import { DeliveryTimeline } from '../deliveries/timeline.tsx'
import { ChecksSection } from './checks-section.tsx'
import classes from './reservations.module.css'
import { StaySection } from './stay-section.tsx'
import { ToldSection } from './told-section.tsx'
import { VersionsSection } from './versions-section.tsx'

const lookEveryMs = 5_000

export function ReservationPage() {
  const { t } = useTranslation()
  const reservationId = useIdParam('reservationId')
  const found = useApi('showReservation', { params: { reservationId } }, { everyMs: lookEveryMs })
  const reservation = found.data?.reservation
  useVisit(reservation && String(reservationId))
  const title = t('reservations.numbered', { id: reservationId })
  const crumbs = [
    <LinkTo key="all" fz="sm" to="/reservations">
      {t('reservations.title')}
    </LinkTo>,
  ]
  if (found.error && !reservation)
    return (
      <UnreadPage
        what="reservation"
        title={title}
        crumbs={crumbs}
        error={found.error}
        onRetry={() => void found.refetch()}
      />
    )
  return (
    <Page
      title={title}
      crumbs={crumbs}
      beside={reservation && <ReservationStatus status={reservation.status} />}
    >
      {found.isPending && <PageWait />}
      {reservation && <Whole reservation={reservation} />}
    </Page>
  )
}

function Whole({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { timeZone: zone, version, deliveries, reach } = reservation
  return (
    <>
      <ReachBanner reach={reach} version={version} zone={zone} />
      <div className={classes['columns']}>
        <div>
          <StaySection reservation={reservation} />
          <ToldSection reservation={reservation} />
          <GuestSection reservation={reservation} />
          <VersionsSection versions={reservation.versions} currency={reservation.currency} zone={zone} />
          <ChecksSection checks={reservation.priceChecks} hotelId={reservation.hotelId} />
        </div>
        <div>
          <Section title={t('reservations.section.deliveries')}>
            <Stack gap="sm">
              {deliveries.map((delivery, index) => (
                <DeliveryTimeline
                  key={delivery.deliveryId}
                  delivery={delivery}
                  zone={zone}
                  isNewest={index === 0}
                  hasUrl={reservation.hasUrl}
                />
              ))}
            </Stack>
          </Section>
          <Can role="viewer">
            <NotesSection reservation={reservation} />
          </Can>
          <Alerts reservation={reservation} />
          <Section title={t('reservations.section.body')} hint={t('reservations.bodyHint')}>
            <JsonView value={reservation.body} label={t('reservations.bodyLabel')} />
          </Section>
        </div>
      </div>
    </>
  )
}

function Alerts({ reservation: { alerts, timeZone } }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  return (
    <Section title={t('reservations.section.alerts')}>
      {alerts.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('reservations.noAlerts')}
        </Text>
      )}
      <Stack gap="xs">
        {alerts.map(({ deliveryId, reason, at, clearedAt }) => (
          <Stack key={deliveryId} gap={2} align="flex-start">
            <StatusBadge
              kind={clearedAt === null ? 'bad' : 'idle'}
              label={clearedAt === null ? t('reservations.alert.open') : t('reservations.alert.cleared')}
            />
            <Text size="sm" component="div">
              {t(`reservations.alert.${reason}`)}; {t('reservations.alert.raised')}{' '}
              <Time at={at} zone={timeZone} />
            </Text>
          </Stack>
        ))}
      </Stack>
    </Section>
  )
}

function GuestSection({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { customer, paymentType, card } = reservation
  const seesCards = useCan('viewer')
  return (
    <Section title={t('reservations.section.guest')}>
      <Facts
        facts={[
          [t('reservations.clientReference'), reservation.clientReference],
          [t('reservations.channel'), reservation.channel],
          [t('reservations.customer'), `${customer.firstName} ${customer.lastName}`.trim()],
          [t('reservations.email'), customer.email],
          [t('reservations.phone'), customer.phone],
          [t('reservations.country'), customer.countryCode],
          [t('reservations.remarks'), customer.remarks],
          [t('reservations.payment'), paymentType],
          [t('reservations.card'), seesCards ? <Card key="card" card={card} /> : null],
        ]}
      />
    </Section>
  )
}

function Card({ card }: { card: ShownCard | null }) {
  const { t } = useTranslation()
  if (card === null) return t('reservations.noCard')
  const { brand, last4, keptUntil, isCvvKept, virtual } = card
  return (
    <>
      {t('reservations.cardText', { brand, last4 })}
      {'; '}
      {keptUntil === null ? (
        t('reservations.cardGone')
      ) : (
        <>
          {t('reservations.cardKept')} <Time at={keptUntil} />
        </>
      )}
      {isCvvKept && `; ${t('reservations.cvvKept')}`}
      {virtual && (
        <>
          {'; '}
          {t('reservations.virtualCard')} <Money amount={virtual.amount} currency={virtual.currency} />,{' '}
          <Day date={virtual.validFrom} /> – <Day date={virtual.validTo} />
        </>
      )}
    </>
  )
}

const charactersMax = 500

/** Notes that operators leave each other on the reservation. */
function NotesSection({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { notes, reservationId, timeZone } = reservation
  return (
    <Section title={t('reservations.section.notes')}>
      <Stack gap="sm">
        <Can role="operator">
          <AddNote key={reservationId} reservationId={reservationId} />
        </Can>
        {notes.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('reservations.note.none')}
          </Text>
        )}
        {notes.map(({ at, operator, text }, index) => (
          <div key={`${at} ${index}`} className={classes['note']}>
            <Text size="sm">{text}</Text>
            <Text size="xs" c="dimmed" component="div">
              {t('reservations.note.by', { name: operator })} <Time at={at} zone={timeZone} />
            </Text>
          </div>
        ))}
      </Stack>
    </Section>
  )
}

function AddNote({ reservationId }: { reservationId: number }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const add = useChange('addReservationNote', {
    invalidates: ['showReservation', 'searchReservations', 'searchDeliveries'],
  })
  const trimmed = text.trim()
  const isReady = trimmed !== '' && !add.isPending
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady)
          add.mutate({ params: { reservationId }, body: { text: trimmed } }, { onSuccess: () => setText('') })
      }}
    >
      <Stack gap="xs" align="flex-start">
        <TextInput
          w="100%"
          label={t('reservations.note.label')}
          description={t('reservations.note.stays')}
          placeholder={t('reservations.note.placeholder')}
          maxLength={charactersMax}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {add.error && <ErrorNote error={add.error} />}
        <Button type="submit" variant="default" loading={add.isPending} disabled={!isReady}>
          {t('reservations.note.add')}
        </Button>
      </Stack>
    </form>
  )
}

type Look = { kind: 'good' | 'wait' | 'warn' | 'bad' | 'idle'; Icon: LucideIcon }

const lookByReach: Readonly<Record<Reach['kind'], Look>> = {
  reached: { kind: 'good', Icon: CircleCheck },
  acknowledged: { kind: 'good', Icon: CircleCheck },
  on_its_way: { kind: 'wait', Icon: Clock },
  failing: { kind: 'warn', Icon: TriangleAlert },
  no_url: { kind: 'warn', Icon: TriangleAlert },
  given_up: { kind: 'bad', Icon: CircleAlert },
  unknown: { kind: 'idle', Icon: CircleHelp },
}

/** Answers the first question: did the booking reach the hotel? */
function ReachBanner({ reach, version, zone }: { reach: Reach; version: number; zone: string }) {
  const { t } = useTranslation()
  const { kind: reached, at, attempts, nextAt, earlierVersion, lastAttempt } = reach
  const { kind, Icon } = lookByReach[reached]
  const isThere = kind === 'good'
  return (
    <div className={classes['reach']} data-kind={kind} role="status">
      <Icon size={28} aria-hidden />
      <div>
        <p className={classes['reachTitle']}>{t(`reservations.reach.${reached}`)}</p>
        <p className={classes['reachText']}>
          {t(`reservations.reach.${reached}Text`, { version, attempts, count: attempts })}{' '}
          {!isThere && reached !== 'unknown' && (
            <>
              {earlierVersion === null
                ? t('reservations.reach.never')
                : t('reservations.reach.earlier', { version: earlierVersion })}
            </>
          )}
        </p>
        {at !== null && (
          <p className={classes['reachText']}>
            {isThere ? t('reservations.reach.arrived') : t('reservations.reach.since')} <Ago at={at} />
            {': '}
            <Time at={at} zone={zone} />
          </p>
        )}
        {reached === 'failing' && (
          <p className={classes['reachText']}>
            {t('reservations.reach.next')}{' '}
            {nextAt === null ? t('reservations.reach.hourly') : <Soon at={nextAt} />}
          </p>
        )}
        {lastAttempt && <LastAttempt attempt={lastAttempt} />}
      </div>
    </div>
  )
}
