import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WholeReservation } from '../../../../src/console-api/bookings/contract.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Section } from '../../parts/page.tsx'
import { Ago } from '../../parts/values/time.tsx'
import { DifferenceText, OutcomeBadge, SumOfNights, TermsText } from '../price-checks/check-look.tsx'

type Check = WholeReservation['priceChecks'][number]

type Props = { checks: readonly Check[]; hotelId: number }

export function ChecksSection({ checks, hotelId }: Props) {
  const { t } = useTranslation()
  const columns: Column<Check>[] = [
    {
      key: 'outcome',
      header: t('reservations.checks.outcome'),
      cell: (check) => (
        <>
          <OutcomeBadge outcome={check.outcome} />
          <TermsText check={check} />
        </>
      ),
    },
    {
      key: 'stay',
      header: t('reservations.checks.stay'),
      cell: ({ roomId, rateId, checkin }) => (
        <LinkTo
          fz="sm"
          to="/hotels/$hotelId/calendar"
          params={{ hotelId: String(hotelId) }}
          search={{ from: checkin, room: roomId, rate: rateId, night: checkin }}
        >
          {roomId} / {rateId}
        </LinkTo>
      ),
    },
    {
      key: 'stored',
      header: t('reservations.checks.stored'),
      align: 'right',
      cell: (check) => <SumOfNights side={check.stored} roomCount={check.roomCount} which="stored" />,
    },
    {
      key: 'live',
      header: t('reservations.checks.live'),
      align: 'right',
      cell: (check) => (
        <>
          <SumOfNights side={check.live} roomCount={check.roomCount} which="live" />
          <div>
            <DifferenceText difference={check.difference} currency={check.stored.currency} />
          </div>
        </>
      ),
    },
    {
      key: 'at',
      header: t('reservations.checks.at'),
      cell: ({ at, version, durationMs }) => (
        <>
          <Ago at={at} />
          <Text size="xs" c="dimmed">
            {t('reservations.version', { version })} · {t('priceChecks.took', { ms: durationMs })}
          </Text>
        </>
      ),
    },
  ]
  return (
    <Section title={t('reservations.section.priceChecks')}>
      {checks.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('reservations.checks.none')}
        </Text>
      ) : (
        <DataTable
          caption={t('reservations.section.priceChecks')}
          columns={columns}
          rows={checks}
          rowKey={({ priceCheckId }) => priceCheckId}
          empty={{ title: t('reservations.checks.none') }}
        />
      )}
    </Section>
  )
}
