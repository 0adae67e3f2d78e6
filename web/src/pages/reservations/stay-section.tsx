import { Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { WholeReservation } from '../../../../src/console-api/bookings/contract.ts'
import { Code } from '../../parts/values/code.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Money } from '../../parts/values/numbers.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { Day, Time } from '../../parts/values/time.tsx'
import classes from './reservations.module.css'

type Room = WholeReservation['rooms'][number]

const dayMs = 86_400_000

export function StaySection({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { hotelId, hotelName, hotelCode, supplierId, supplier, checkin, checkout, currency, timeZone } =
    reservation
  const nights = (Date.parse(checkout) - Date.parse(checkin)) / dayMs
  return (
    <Section title={t('reservations.section.stay')}>
      <Facts
        facts={[
          [
            t('reservations.hotel'),
            <>
              <LinkTo fz="sm" to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }}>
                {hotelName}
              </LinkTo>{' '}
              <span className={classes['code']}>
                <Code>{hotelCode}</Code>
              </span>
            </>,
          ],
          [
            t('reservations.supplier'),
            <LinkTo
              key="supplier"
              fz="sm"
              to="/suppliers/$supplierId"
              params={{ supplierId: String(supplierId) }}
            >
              {supplier}
            </LinkTo>,
          ],
          [
            t('reservations.stay'),
            <>
              <Day date={checkin} /> – <Day date={checkout} />, {t('reservations.nights', { count: nights })}
            </>,
          ],
          [t('reservations.column.booked'), <Time key="booked" at={reservation.createdAt} zone={timeZone} />],
          [t('reservations.modified'), <Time key="modified" at={reservation.modifiedAt} zone={timeZone} />],
        ]}
      />
      {reservation.rooms.map((room, index) => (
        <RoomPrices key={index} room={room} number={index + 1} currency={currency} />
      ))}
      <Facts
        facts={[
          [
            t('reservations.beforeTax'),
            <Money key="before" amount={reservation.total.beforeTax} currency={currency} />,
          ],
          [t('reservations.taxes'), <Money key="tax" amount={reservation.total.tax} currency={currency} />],
          [
            t('reservations.total'),
            <strong key="total">
              <Money amount={reservation.total.afterTax} currency={currency} />
            </strong>,
          ],
          [
            t('reservations.dueAtProperty'),
            <Money key="due" amount={reservation.total.dueAtProperty} currency={currency} />,
          ],
          ...forfeitedFacts(reservation.forfeited),
          ...penaltyFacts(reservation.penalty),
        ]}
      />
      <PayableFacts reservation={reservation} />
    </Section>
  )

  function forfeitedFacts(forfeited: string): [string, ReactNode][] {
    if (Number(forfeited) === 0) return []
    return [[t('reservations.forfeited'), <Money key="forfeited" amount={forfeited} currency={currency} />]]
  }

  function penaltyFacts(penalty: WholeReservation['penalty']): [string, ReactNode][] {
    if (penalty === null) return []
    return [
      [
        t('reservations.penalty'),
        <>
          <strong>
            <Money amount={penalty.amount} currency={penalty.currency} />
          </strong>
          {penalty.by.map(({ roomId, rateId, code, from, amount }, index) => (
            <div key={index}>
              <Code>{roomId}</Code> <Code>{rateId}</Code> {code}{' '}
              {from === null
                ? t('reservations.penaltyAlways', { amount })
                : t('reservations.penaltyFrom', { from, amount })}
            </div>
          ))}
        </>,
      ],
    ]
  }
}

/** What the hotel gets, by the contract of the account as it was at the booking. */
function PayableFacts({ reservation }: { reservation: WholeReservation }) {
  const { t } = useTranslation()
  const { currency, pricesAre, commissionPercent, commission, amountPayable } = reservation
  if (pricesAre === null) return null
  const money = (amount: string | null): ReactNode =>
    amount === null ? t('reservations.payableUnknown') : <Money amount={amount} currency={currency} />
  return (
    <Facts
      facts={[
        [t('reservations.pricesAre'), t(`reservations.${pricesAre}`)],
        [t('reservations.commission', { percent: commissionPercent }), money(commission)],
        [t('reservations.amountPayable'), money(amountPayable)],
      ]}
    />
  )
}

function RoomPrices({ room, number, currency }: { room: Room; number: number; currency: string }) {
  const { t } = useTranslation()
  const name = t('reservations.room', { number })
  return (
    <div className={classes['room']}>
      <Text size="sm" component="div">
        <strong>{name}</strong>: {room.roomName} <Code>{room.roomId}</Code> · {room.rateName}{' '}
        <Code>{room.rateId}</Code>
      </Text>
      <Text size="sm" c="dimmed">
        {partyOf(room)}
      </Text>
      <div className={classes['numbers']}>
        <Table aria-label={name}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('reservations.night')}</Table.Th>
              <Table.Th scope="col" ta="right">
                {t('reservations.beforeTax')}
              </Table.Th>
              <Table.Th scope="col" ta="right">
                {t('reservations.afterTax')}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {room.nights.map(({ date, beforeTax, afterTax }) => (
              <Table.Tr key={date}>
                <Table.Td>
                  <Day date={date} />
                </Table.Td>
                <Table.Td ta="right">
                  <Money amount={beforeTax} currency={currency} />
                </Table.Td>
                <Table.Td ta="right">
                  <Money amount={afterTax} currency={currency} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <RoomTerms room={room} currency={currency} />
    </div>
  )

  function partyOf({ guest, adults, childAges, mealPlan }: Room): string {
    return [
      t('reservations.roomGuests', { name: `${guest.firstName} ${guest.lastName}`.trim() }),
      t('reservations.adults', { count: adults }),
      ...(childAges.length > 0
        ? [t('reservations.children', { count: childAges.length, ages: childAges.join(', ') })]
        : []),
      ...(mealPlan === null ? [] : [`${t('reservations.mealPlan')} ${mealPlan}`]),
    ].join(' · ')
  }
}

function RoomTerms({
  room: { taxes, fees, cancelPolicy, owedAtLeast },
  currency,
}: {
  room: Room
  currency: string
}) {
  const { t } = useTranslation()
  return (
    <Text size="sm" component="div" c="dimmed">
      {taxes.map(({ type, included, payNow, amount }, index) => (
        <div key={index}>
          {t('reservations.tax')} {type}: <Money amount={amount} currency={currency} />,{' '}
          {payNow
            ? included
              ? t('reservations.taxIncluded')
              : t('reservations.taxAdded')
            : t('reservations.taxAtProperty')}
        </div>
      ))}
      {fees.map(({ name, amount }, index) => (
        <div key={index}>{t('reservations.fee', { name, amount: `${amount} ${currency}` })}</div>
      ))}
      {Number(owedAtLeast) > 0 && (
        <div>{t('reservations.owedAtLeast', { amount: `${owedAtLeast} ${currency}` })}</div>
      )}
      {cancelPolicy !== null && (
        <div>
          {t('reservations.cancelPolicy')}: {cancelPolicy.description ?? cancelPolicy.code}
          {cancelPolicy.penalties === null && <div>{t('reservations.termsUnknown')}</div>}
          {cancelPolicy.penalties?.map(({ from, amount, noShow }) => {
            const money = `${amount} ${currency}`
            const text =
              noShow === true
                ? t('reservations.penaltyNoShow', { amount: money })
                : from === null
                  ? t('reservations.penaltyAlways', { amount: money })
                  : t('reservations.penaltyFrom', { from, amount: money })
            return <div key={`${from} ${noShow}`}>{text}</div>
          })}
        </div>
      )}
    </Text>
  )
}
