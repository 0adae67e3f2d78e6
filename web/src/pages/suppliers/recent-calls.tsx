import { Stack, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { SupplierCall } from '../../../../src/console-api/suppliers/contract.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { LinkTo, ReservationLink } from '../../parts/link-to.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Time } from '../../parts/values/time.tsx'
import { outcomeLabel } from '../deliveries/delivery-badge.tsx'
import { isOutcome, OutcomeBadge } from '../price-checks/check-look.tsx'

/** The latest calls to the supplier's URLs, some of each kind. */
export function RecentCalls({ supplierId, calls }: { supplierId: number; calls: readonly SupplierCall[] }) {
  const { t } = useTranslation()
  const numbered = calls.map((call, place) => ({ ...call, place }))
  const columns: Column<(typeof numbered)[number]>[] = [
    {
      key: 'kind',
      sorting: { by: ({ kind }) => kind },
      header: t('suppliers.calls.kind'),
      cell: (call) => (
        <Stack gap={0}>
          {t(`suppliers.webhooks.${call.kind}`)}
          <CallLink supplierId={supplierId} call={call} />
        </Stack>
      ),
    },
    {
      key: 'outcome',
      sorting: { by: ({ outcome }) => outcome },
      header: t('suppliers.calls.outcome'),
      width: 160,
      cell: ({ kind, outcome, isGood }) =>
        kind === 'availability' && isOutcome(outcome) ? (
          <OutcomeBadge outcome={outcome} />
        ) : (
          <StatusBadge kind={isGood ? 'good' : 'bad'} label={outcomeLabel(t, outcome)} />
        ),
    },
    {
      key: 'status',
      sorting: { by: ({ httpStatus }) => httpStatus },
      header: t('suppliers.calls.status'),
      align: 'right',
      cell: ({ httpStatus }) => httpStatus !== null && <span className="figures">{httpStatus}</span>,
    },
    {
      key: 'duration',
      sorting: { by: ({ durationMs }) => durationMs },
      header: t('suppliers.calls.duration'),
      align: 'right',
      cell: ({ durationMs: ms }) => <span className="figures">{t('suppliers.calls.ms', { ms })}</span>,
    },
    {
      key: 'at',
      sorting: { by: ({ at }) => at },
      header: t('suppliers.calls.at'),
      cell: ({ at }) => <Time at={at} />,
    },
  ]
  return (
    <section aria-labelledby="calls">
      <Title order={2} id="calls" mb="xs">
        {t('suppliers.calls.title')}
      </Title>
      <DataTable
        caption={t('suppliers.calls.caption')}
        columns={columns}
        rows={numbered}
        rowKey={({ place }) => place}
        empty={{ title: t('suppliers.calls.none'), hint: t('suppliers.calls.noneHint') }}
      />
    </section>
  )
}

/** A link to the subject of the call: the delivered reservation, or the checks of the hotel. */
function CallLink({
  supplierId,
  call: { reservationId, hotelId, hotelName },
}: {
  supplierId: number
  call: SupplierCall
}) {
  const { t } = useTranslation()
  if (reservationId !== null)
    return (
      <ReservationLink id={reservationId} fz="xs">
        {t('suppliers.calls.reservation', { id: reservationId })}
      </ReservationLink>
    )
  return (
    <LinkTo to="/price-checks" search={{ supplierId: String(supplierId), hotelId: String(hotelId) }} fz="xs">
      {t('suppliers.calls.checksOf', { hotel: hotelName })}
    </LinkTo>
  )
}
