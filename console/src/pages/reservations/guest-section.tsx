import { useTranslation } from 'react-i18next'
import type { ShownCard, WholeReservation } from '../../../../src/console/bookings/contract.ts'
import { Time } from '../../parts/time.tsx'
import { Facts, Section } from './section.tsx'

export function GuestSection({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { customer, paymentType, card } = reservation
  return (
    <Section title={t('reservations.section.guest')}>
      <Facts
        facts={[
          [t('reservations.customer'), `${customer.firstName} ${customer.lastName}`],
          [t('reservations.email'), customer.email],
          [t('reservations.phone'), customer.phone],
          [t('reservations.country'), customer.countryCode],
          [t('reservations.remarks'), customer.remarks],
          [t('reservations.payment'), paymentType],
          [
            t('reservations.card'),
            card === null ? t('reservations.noCard') : <Card key="card" card={card} />,
          ],
        ]}
      />
    </Section>
  )
}

function Card({ card: { brand, last4, keptUntil, isCvvKept } }: { card: ShownCard }) {
  const { t } = useTranslation()
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
    </>
  )
}
