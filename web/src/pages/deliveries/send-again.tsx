import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  SentAgainAnswer,
  DisplayedDelivery,
  UndeliveredFilter,
} from '../../../../src/console-api/deliveries/contract.ts'
import { type AnswerTo, type RouteName, useApi, useChange } from '../../api.ts'
import { Confirm, Dialog } from '../../parts/dialogs.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Soon } from '../../parts/values/time.tsx'
import { LastAttempt } from './last-attempt.tsx'

/** Sends deliveries again: one, the selected ones, or all that match a filter. Each asks for confirmation with the count. */

const invalidatedRoutes: readonly RouteName[] = ['searchDeliveries', 'searchReservations', 'showReservation']
const icon = <Send size={14} aria-hidden />

function useSentNotification(): (sent: SentAgainAnswer) => void {
  const { t } = useTranslation()
  return ({ again, repeated, nowhere }) => {
    notifications.show({ message: t('deliveries.again.done', { count: again + repeated }) })
    if (nowhere > 0)
      notifications.show({ message: t('deliveries.again.nowhere', { count: nowhere }), color: 'yellow' })
  }
}

export function SendOneAgain({ delivery, hasUrl }: { delivery: DisplayedDelivery; hasUrl: boolean }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const [attemptsBefore, setAttemptsBefore] = useState<number>()
  const reservation = useApi('showReservation', { params: { reservationId: delivery.reservationId } })
  const send = useChange('sendDeliveryAgain', { invalidates: invalidatedRoutes })
  const { deliveryId, reservationId, state } = delivery
  const close = () => {
    setIsOpen(false)
    setAttemptsBefore(undefined)
    send.reset()
  }
  if (!hasUrl) {
    return (
      <Group gap="xs">
        <Text size="xs" c="dimmed">
          {t('deliveries.again.noUrl')}
        </Text>
        <Button variant="default" leftSection={icon} disabled>
          {t('deliveries.again.one')}
        </Button>
      </Group>
    )
  }
  return (
    <>
      <Button variant="default" leftSection={icon} onClick={() => setIsOpen(true)}>
        {t('deliveries.again.one')}
      </Button>
      {isOpen && attemptsBefore !== undefined && (
        <SentOutcome reservationId={reservationId} attemptsBefore={attemptsBefore} onClose={close} />
      )}
      <Confirm
        isOpen={isOpen && attemptsBefore === undefined}
        onClose={close}
        title={t('deliveries.again.titleOne', { id: reservationId })}
        confirm={t('deliveries.again.confirm', { count: 1 })}
        isBusy={send.isPending}
        error={send.error}
        onConfirm={() => {
          const before = attemptsOf(reservation.data)
          send.mutate({ params: { deliveryId } }, { onSuccess: () => setAttemptsBefore(before) })
        }}
      >
        <Text size="sm">
          {state === 'delivered' ? t('deliveries.again.bodyDelivered') : t('deliveries.again.bodyOne')}
        </Text>
      </Confirm>
    </>
  )
}

function attemptsOf(read: AnswerTo<'showReservation'> | undefined): number {
  return (read?.reservation.deliveries ?? []).reduce((sum, { timeline }) => sum + timeline.length, 0)
}

const lookEveryMs = 1_000

/** What came of it, as soon as the endpoint has answered. */
function SentOutcome({
  reservationId,
  attemptsBefore,
  onClose,
}: {
  reservationId: number
  attemptsBefore: number
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { data, error } = useApi('showReservation', { params: { reservationId } }, { everyMs: lookEveryMs })
  const newest = data?.reservation.deliveries[0]
  const attempt = attemptsOf(data) > attemptsBefore ? newest?.timeline.at(-1) : undefined
  const isAccepted = attempt?.outcome === 'accepted'
  return (
    <Dialog isOpen onClose={onClose} title={t('deliveries.again.outcomeOf', { id: reservationId })}>
      <Stack gap="md">
        <div role="status">
          {!attempt && (
            <Group gap="xs">
              <Loader size="xs" aria-hidden />
              <Text size="sm">{t('deliveries.again.calling')}</Text>
            </Group>
          )}
          {attempt && (
            <Alert
              color={isAccepted ? 'teal' : 'red'}
              title={t(isAccepted ? 'deliveries.again.accepted' : 'deliveries.again.notAccepted')}
            >
              <LastAttempt attempt={attempt} />
              {!isAccepted && newest && newest.dueAt !== null && (
                <Text size="sm" component="div" mt="xs">
                  {t('deliveries.timeline.next')}: <Soon at={newest.dueAt} />
                </Text>
              )}
            </Alert>
          )}
        </div>
        {error && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('deliveries.again.close')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

export function SendSelectedAgain({ chosen, onSent }: { chosen: readonly string[]; onSent: () => void }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const notify = useSentNotification()
  const send = useChange('sendDeliveriesAgain', { invalidates: invalidatedRoutes })
  const count = chosen.length
  const close = () => {
    setIsOpen(false)
    send.reset()
  }
  return (
    <>
      <Button leftSection={icon} disabled={count === 0} onClick={() => setIsOpen(true)}>
        {t('deliveries.again.chosen', { count })}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('deliveries.again.title', { count })}
        confirm={t('deliveries.again.confirm', { count })}
        isBusy={send.isPending}
        error={send.error}
        onConfirm={() =>
          send.mutate(
            { body: { deliveryIds: [...chosen] } },
            {
              onSuccess: (sent) => {
                close()
                onSent()
                notify(sent)
              },
            },
          )
        }
      >
        <Text size="sm">{t('deliveries.again.body')}</Text>
        <Text size="sm">{t('deliveries.again.bodyChosen')}</Text>
      </Confirm>
    </>
  )
}

/** All deliveries that match the page's filter, including those not yet loaded. */
export function SendMatchingAgain({
  filter,
  query,
}: {
  filter: UndeliveredFilter
  query: Readonly<Record<string, string | undefined>>
}) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const notify = useSentNotification()
  const counted = useApi('countDeliveriesToSend', { query }, { enabled: isOpen })
  const send = useChange('sendDeliveriesAgain', {
    invalidates: [...invalidatedRoutes, 'countDeliveriesToSend'],
  })
  const { count = 0, isMore = false } = counted.data ?? {}
  const close = () => {
    setIsOpen(false)
    send.reset()
  }
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        {t('deliveries.again.filtered')}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={counted.isFetching ? t('deliveries.again.counting') : t('deliveries.again.title', { count })}
        confirm={t('deliveries.again.confirm', { count })}
        isBusy={send.isPending || counted.isFetching}
        isDangerous
        error={send.error ?? counted.error}
        onConfirm={() => {
          if (isMore || count === 0) return close()
          send.mutate(
            { body: { filter, count } },
            {
              onSuccess: (sent) => {
                close()
                notify(sent)
              },
            },
          )
        }}
      >
        <Text size="sm">{bodyOf(count, isMore)}</Text>
      </Confirm>
    </>
  )

  function bodyOf(matching: number, hasMore: boolean): string {
    if (hasMore) return t('deliveries.again.bodyMore', { count: matching })
    return matching === 0 ? t('deliveries.again.bodyNone') : t('deliveries.again.body')
  }
}
