import { useTranslation } from 'react-i18next'
import type { Overview, Refused, RefusingSupplier } from '../../../../src/console-api/overview/contract.ts'
import { LinkTo, ReservationNumber } from '../../parts/link-to.tsx'
import { Ago, Arrival } from '../../parts/values/time.tsx'
import { DeliveryBadge } from '../deliveries/delivery-badge.tsx'
import classes from './overview.module.css'
import { NameOf, Panel, ShortList } from './panel.tsx'

export function UndeliveredPanel({ urgent }: { urgent: Overview['undelivered']['urgent'] }) {
  const { t } = useTranslation()
  return (
    <Panel
      title={t('overview.undelivered.list')}
      action={
        <LinkTo to="/deliveries" search={{ state: 'undelivered' }} size="sm">
          {t('overview.all')}
        </LinkTo>
      }
    >
      <ShortList
        label={t('overview.undelivered.list')}
        rows={urgent}
        rowKey={({ deliveryId }) => deliveryId}
        empty={t('overview.undelivered.listEmpty')}
        columns={[
          {
            header: t('overview.undelivered.reservation'),
            cell: ({ reservationId, reservationStatus }) => (
              <span className={classes['name']}>
                <ReservationNumber id={reservationId} />
                {reservationStatus === 'Cancel' && (
                  <span className={classes['of']}>{t('overview.undelivered.cancel')}</span>
                )}
              </span>
            ),
          },
          {
            header: t('overview.undelivered.hotel'),
            cell: ({ hotelName, supplier }) => <NameOf of={supplier}>{hotelName}</NameOf>,
          },
          {
            header: t('overview.undelivered.state'),
            cell: ({ state }) => <DeliveryBadge state={state} />,
          },
          {
            header: t('overview.undelivered.waits'),
            cell: ({ undeliveredSince }) => <Ago at={undeliveredSince} />,
            align: 'right',
          },
          {
            header: t('overview.undelivered.arrives'),
            cell: ({ arrivesAt, timeZone }) => <Arrival at={arrivesAt} zone={timeZone} />,
            align: 'right',
          },
        ]}
      />
    </Panel>
  )
}

export function RefusingPanel({ refusing }: { refusing: readonly RefusingSupplier[] }) {
  const { t } = useTranslation()
  return (
    <Panel
      title={t('overview.refusing.list')}
      action={
        <LinkTo to="/pushes" search={{ outcome: 'rejected' }} size="sm">
          {t('overview.all')}
        </LinkTo>
      }
    >
      <ShortList
        label={t('overview.refusing.list')}
        rows={refusing}
        rowKey={({ supplierId }) => supplierId}
        empty={t('overview.refusing.listEmpty')}
        columns={[
          {
            header: t('overview.refusing.supplier'),
            cell: ({ supplierId, supplier }) => (
              <LinkTo to="/pushes" search={{ supplierId: String(supplierId), outcome: 'rejected' }}>
                {supplier}
              </LinkTo>
            ),
          },
          {
            header: t('overview.refusing.hour'),
            cell: ({ hour }) => <Share refused={hour} />,
            align: 'right',
          },
          {
            header: t('overview.refusing.day'),
            cell: ({ day }) => <Share refused={day} />,
            align: 'right',
          },
        ]}
      />
    </Panel>
  )
}

function Share({ refused: { pushes, rejected, partial } }: { refused: Refused }) {
  const { t } = useTranslation()
  if (pushes === 0) return <span className={classes['of']}>{t('overview.refusing.quiet')}</span>
  const share = ((rejected + partial) / pushes) * 100
  // Only all is 100 %, and only none is 0 %.
  const rounded = share > 99 && share < 100 ? 99 : share > 0 && share < 1 ? 1 : Math.round(share)
  return (
    <NameOf of={t('overview.refusing.ofThese', { rejected, partial })}>
      {t('overview.refusing.share', { share: rounded, pushes })}
    </NameOf>
  )
}
