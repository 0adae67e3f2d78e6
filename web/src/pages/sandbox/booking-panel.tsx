import { Alert, Button, Group, Text, Title } from '@mantine/core'
import { CircleCheck } from 'lucide-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SandboxBooking, SandboxHotel } from '../../../../src/console-api/sandbox/contract.ts'
import { useApi, useChange } from '../../api.ts'
import { EmptyState } from '../../parts/lists/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { PageWait } from '../../parts/page.tsx'
import classes from './sandbox.module.css'
import { readAges, stayAt, StayFields } from './stay-fields.tsx'

const invalidates = ['listSandboxCalls'] as const

/** Makes a booking the way the platform does. */
export function BookingPanel({ supplierId }: { supplierId: number }) {
  const { t } = useTranslation()
  const { data, error, refetch } = useApi('listSandboxHotels', { params: { supplierId } })
  const first = data?.hotels.find(({ products }) => products.length > 0) ?? data?.hotels[0]
  return (
    <section className={classes['panel']} aria-labelledby="booking">
      <Title order={2} id="booking" mb={4}>
        {t('sandbox.booking.title')}
      </Title>
      <Text size="sm" mb="sm">
        {t('sandbox.booking.what')}
      </Text>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <PageWait lines={2} />}
      {data && !first && (
        <EmptyState title={t('sandbox.booking.none')} hint={t('sandbox.booking.noneHint')} />
      )}
      {first && <BookingForm key={first.hotelId} supplierId={supplierId} first={first} />}
    </section>
  )
}

function BookingForm({ supplierId, first }: { supplierId: number; first: SandboxHotel }) {
  const { t } = useTranslation()
  const [stay, setStay] = useState(() => stayAt(first))
  const childAges = readAges(stay.children)
  const isFirst = stay.hotelId === first.hotelId
  const other = useApi(
    'listSandboxHotels',
    { params: { supplierId }, query: { hotelId: String(stay.hotelId) } },
    { enabled: !isFirst },
  )
  const hotel = isFirst ? first : other.data?.hotels[0]
  const product = hotel?.products[stay.place] ?? hotel?.products[0]
  const book = useChange('bookInSandbox', { invalidates })
  const cancel = useChange('cancelInSandbox', { invalidates })
  const quotes = useQueryClient()
  const submit = () => {
    if (!hotel || !product || !childAges) return
    const { roomId, rateId } = product
    const { checkin, checkout, adults } = stay
    cancel.reset()
    const body = { hotelId: hotel.code, roomId, rateId, checkin, checkout, adults, childAges }
    book.mutate({ params: { supplierId }, body })
  }
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <StayFields
          supplierId={supplierId}
          first={first}
          hotel={hotel}
          stay={stay}
          set={(some) => setStay({ ...stay, ...some })}
        />
        {other.error && <ErrorNote error={other.error} onRetry={() => void other.refetch()} />}
        <Button type="submit" mt="sm" loading={book.isPending} disabled={!childAges || !product}>
          {t('sandbox.booking.submit')}
        </Button>
      </form>
      <div className={classes['below']} role="status">
        {book.data && (
          <Booked
            supplierId={supplierId}
            booking={cancel.data?.booking ?? book.data.booking}
            isBusy={cancel.isPending}
            onCancel={(expectedPenalty) => {
              const { reservationId } = book.data.booking
              const { hotelId } = book.variables.body
              cancel.mutate(
                { params: { supplierId }, body: { hotelId, reservationId, expectedPenalty } },
                { onError: () => void quotes.invalidateQueries({ queryKey: ['quoteInSandbox'] }) },
              )
            }}
          />
        )}
      </div>
      {book.error && (
        <>
          <ErrorNote error={book.error} />
          <LinkTo
            to="/hotels/$hotelId/calendar"
            params={{ hotelId: String(stay.hotelId) }}
            search={{ from: stay.checkin }}
            size="sm"
          >
            {t('sandbox.booking.nights')}
          </LinkTo>
        </>
      )}
      {cancel.error && <ErrorNote error={cancel.error} />}
    </>
  )
}

function Booked({
  supplierId,
  booking: { reservationId, version, status, delivery },
  isBusy,
  onCancel,
}: {
  supplierId: number
  booking: SandboxBooking
  isBusy: boolean
  onCancel: (expectedPenalty: string | null) => void
}) {
  const { t } = useTranslation()
  const isCancelled = status === 'Cancel'
  const word = t(`sandbox.booking.status.${isCancelled ? 'Cancel' : 'Confirm'}`)
  return (
    <Alert
      color="teal"
      icon={<CircleCheck size={16} aria-hidden />}
      title={t('sandbox.booking.done', { id: reservationId, version, status: word })}
    >
      <Group gap="md">
        <Text size="sm">{t('sandbox.booking.delivery', { delivery })}</Text>
        <LinkTo to="/reservations/$reservationId" params={{ reservationId }} size="sm">
          {t('sandbox.booking.open')}
        </LinkTo>
        {!isCancelled && (
          <CancelAtPenalty
            supplierId={supplierId}
            reservationId={reservationId}
            isBusy={isBusy}
            onCancel={onCancel}
          />
        )}
      </Group>
    </Alert>
  )
}

/** Says what cancelling costs now, and cancels at that penalty alone. */
function CancelAtPenalty({
  supplierId,
  reservationId,
  isBusy,
  onCancel,
}: {
  supplierId: number
  reservationId: string
  isBusy: boolean
  onCancel: (expectedPenalty: string | null) => void
}) {
  const { t } = useTranslation()
  const { data, error, refetch } = useApi('quoteInSandbox', { params: { supplierId, reservationId } })
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const { penalty } = data.quote
  return (
    <Button variant="default" loading={isBusy} onClick={() => onCancel(penalty?.amount ?? null)}>
      {penalty
        ? t('sandbox.booking.cancelFor', { amount: `${penalty.amount} ${penalty.currency}` })
        : t('sandbox.booking.cancelUnknown')}
    </Button>
  )
}
