import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { WorkItem, WorkView } from '../../../../src/console/work-queue/contract.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { Can, useMe } from '../../parts/session.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Ago, Time } from '../../parts/time.tsx'
import classes from './work.module.css'
import { WorkActions } from './work-actions.tsx'

const kindOfBadge = { critical: 'bad', warning: 'warn', info: 'info' } as const

export function WorkLine({ item, view }: { item: WorkItem; view: WorkView }) {
  const { t } = useTranslation()
  const { kind, severity, count, subject } = item
  const what = t(`work.kind.${kind}`, { count, subject })
  return (
    <li className={classes['line']} data-severity={severity}>
      <div className={classes['what']}>
        <span className={classes['head']}>
          <StatusBadge kind={kindOfBadge[severity]} label={t(`work.severity.${severity}`)} />
          <LinkTo {...linkOf(item)} fw={600} fz="sm">
            {what}
          </LinkTo>
        </span>
        <Text size="xs" c="dimmed" component="div">
          <Where item={item} /> · {t('work.since')} <Ago at={item.since} />
          <Detail item={item} />
        </Text>
        <Who item={item} view={view} />
      </div>
      <Can role="operator">
        <WorkActions item={item} view={view} what={what} />
      </Can>
    </li>
  )
}

function Where({ item: { supplierId, supplier, hotelId, hotelName } }: { item: WorkItem }) {
  return (
    <>
      {hotelId !== null && (
        <>
          <LinkTo to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }} underline="always">
            {hotelName}
          </LinkTo>
          {', '}
        </>
      )}
      <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }} underline="always">
        {supplier}
      </LinkTo>
    </>
  )
}

function Detail({ item: { kind, subject, evidence } }: { item: WorkItem }) {
  const { t } = useTranslation()
  if (kind === 'sales.stopped') {
    const reason = subject === '' ? t('stopSells.noReason') : subject
    return (
      <>
        {' · '}
        {reason}, {t('work.by', { name: String(evidence['operator']) })}
      </>
    )
  }
  if (kind !== 'push.error') return subject === '' ? null : <> · {subject}</>
  const hotels = Number(evidence['hotels'])
  return (
    <>
      {hotels > 0 && <> · {t('work.inHotels', { count: hotels })}</>}
      {' · '}
      {String(evidence['message'])}
    </>
  )
}

/** Who has it, the note, and until when it is put off. */
function Who({ item, view }: { item: WorkItem; view: WorkView }) {
  const { t } = useTranslation()
  const me = useMe()
  const { takenBy, note, snoozedUntil, doneBy, doneAt } = item
  return (
    <Text size="xs" component="div" className={classes['who']}>
      {takenBy !== null && (
        <strong>{takenBy === me.name ? t('work.youHaveIt') : t('work.hasIt', { name: takenBy })}</strong>
      )}
      {note && (
        <span>
          {t('work.noted', { name: note.by, text: note.text })} (<Ago at={note.at} />)
        </span>
      )}
      {view === 'snoozed' && (
        <span>
          {t('work.until')} <Time at={snoozedUntil} />
        </span>
      )}
      {view === 'done' && doneBy !== null && (
        <span>
          {t('work.doneBy', { name: doneBy })} <Ago at={doneAt} />
        </span>
      )}
    </Text>
  )
}

/** The page where it can be seen, and mostly mended. */
function linkOf({ kind, supplierId, hotelId, subject }: WorkItem) {
  const ofSupplier = { supplierId: String(supplierId) }
  const search = hotelId === null ? ofSupplier : { hotelId: String(hotelId) }
  const supplierPage = { to: '/suppliers/$supplierId', params: ofSupplier } as const
  const hotelPage =
    hotelId === null
      ? supplierPage
      : ({ to: '/hotels/$hotelId', params: { hotelId: String(hotelId) } } as const)
  switch (kind) {
    case 'booking.undelivered':
      return { to: '/deliveries', search: { ...search, state: 'undelivered' } } as const
    case 'push.error':
      return { to: '/pushes', search: { ...ofSupplier, problem: subject } } as const
    case 'push.refused':
      return { to: '/pushes', search: { ...ofSupplier, outcome: 'rejected' } } as const
    case 'hotel.neverPushed':
      return hotelId === null
        ? ({ to: '/hotels', search: { ...ofSupplier, ari: 'none', available: 'yes' } } as const)
        : hotelPage
    case 'sales.stopped':
      return { to: '/stop-sells', search } as const
    case 'guard.held':
      return { to: '/holds', search } as const
    case 'drift.high':
      return { to: '/price-checks', search: { ...search, view: 'drift' } } as const
    case 'ari.stale':
    case 'coverage.low':
    case 'mass.closed':
    case 'resync.requested':
      return hotelPage
    case 'webhook.failing':
    case 'key.expiring':
    case 'certification.regressed':
      return supplierPage
  }
}
