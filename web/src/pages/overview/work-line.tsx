import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { RefusedError, WorkItem, WorkView } from '../../../../src/console-api/work-queue/contract.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { Can, useMe } from '../../parts/session.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Ago, Time } from '../../parts/values/time.tsx'
import { GuideTo } from '../pushes/guide-to.tsx'
import classes from './work.module.css'
import { WorkActions } from './work-actions.tsx'

const kindOfBadge = { critical: 'bad', warning: 'warn', info: 'info' } as const

/** `18 pushes refused: WRONG_TYPE × 12, UNKNOWN_ROOM × 6`. */
export function useWhat(): (item: WorkItem) => string {
  const { t } = useTranslation()
  return ({ kind, count, errors }) => {
    const named = errors.slice(0, errorsNamed).map(({ type, pushes }) => `${type} × ${pushes}`)
    const more = errors.length - named.length
    if (more > 0) named.push(t('work.moreErrors', { count: more }))
    return [t(`work.kind.${kind}`, { count }), ...(named.length > 0 ? [named.join(', ')] : [])].join(': ')
  }
}

/** The others are in the details. */
const errorsNamed = 3

export function WorkLine({ item, view }: { item: WorkItem; view: WorkView }) {
  const { t } = useTranslation()
  const { severity, errors } = item
  const what = useWhat()(item)
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
        {errors.length > 0 && <Errors item={item} />}
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
      {t('work.lastAt')} <Ago at={String(evidence['lastAt'])} />
    </>
  )
}

/** Each error of refused pushes, with the pushes that have it. */
function Errors({ item: { supplierId, errors } }: { item: WorkItem }) {
  const { t } = useTranslation()
  return (
    <details className={classes['errors']}>
      <summary>{t('work.errors', { count: errors.length })}</summary>
      <ul>
        {errors.map((error) => (
          <li key={error.type}>
            <LinkTo to="/pushes" search={{ supplierId: String(supplierId), problem: error.type }}>
              {error.type} × {error.pushes}
            </LinkTo>
            <ErrorDetail error={error} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function ErrorDetail({ error: { type, hotels, message } }: { error: RefusedError }) {
  const { t } = useTranslation()
  return (
    <>
      {hotels > 0 && <> {t('work.inHotels', { count: hotels })}</>}
      {message !== null && <>: {message}</>} (<GuideTo type={type} />)
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
function linkOf({ kind, supplierId, hotelId, errors, evidence }: WorkItem) {
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
      return {
        to: '/pushes',
        search: {
          ...ofSupplier,
          ...(errors.length === 1 ? { problem: errors[0]?.type } : { outcome: String(evidence['outcome']) }),
        },
      } as const
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
