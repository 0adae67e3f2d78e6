import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WholeReservation } from '../../../../src/console/bookings/contract.ts'
import { useApi } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useIdParam } from '../../parts/ids.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { PageWait } from '../../parts/page-wait.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { ReservationStatus } from '../deliveries/delivery-badge.tsx'
import { DeliveryTimeline } from '../deliveries/timeline.tsx'
import { ChecksSection } from './checks-section.tsx'
import { GuestSection } from './guest-section.tsx'
import { NotesSection } from './notes-section.tsx'
import { ReachBanner } from './reach-banner.tsx'
import classes from './reservations.module.css'
import { Section } from './section.tsx'
import { StaySection } from './stay-section.tsx'
import { VersionsSection } from './versions-section.tsx'

const lookEveryMs = 5_000

export function ReservationPage() {
  const { t } = useTranslation()
  const reservationId = useIdParam('reservationId')
  const found = useApi('showReservation', { params: { reservationId } }, { everyMs: lookEveryMs })
  const reservation = found.data?.reservation
  return (
    <Page
      title={t('reservations.numbered', { id: reservationId })}
      crumbs={[
        <LinkTo key="all" fz="sm" to="/reservations">
          {t('reservations.title')}
        </LinkTo>,
      ]}
      beside={reservation && <ReservationStatus status={reservation.status} />}
    >
      {found.isPending && <PageWait />}
      {found.error && !reservation && <ErrorNote error={found.error} onRetry={() => void found.refetch()} />}
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
                />
              ))}
            </Stack>
          </Section>
          <NotesSection reservation={reservation} />
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
