import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api.ts'
import { Can } from '../../parts/session.tsx'

/** Asks the supplier for all ARI again; the page lists the alert that this raises. */
export function ResyncButton({ hotelId }: { hotelId: number }) {
  const { t } = useTranslation()
  const request = useChange('requestHotelResync', { invalidates: ['searchAlerts', 'getOverview'] })
  const ask = (): void =>
    request.mutate(
      { params: { hotelId } },
      {
        onSuccess: ({ isAnnounced }) =>
          notifications.show({
            color: isAnnounced ? 'teal' : 'yellow',
            message: isAnnounced ? t('hotels.resyncAnnounced') : t('hotels.resyncListed'),
          }),
        onError: ({ message }) => notifications.show({ color: 'red', title: t('parts.failed'), message }),
      },
    )
  return (
    <Can role="operator">
      <Button variant="default" loading={request.isPending} onClick={ask}>
        {t('hotels.resync')}
      </Button>
    </Can>
  )
}
