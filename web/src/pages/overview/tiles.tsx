import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Counted, Overview } from '../../../../src/console-api/overview/contract.ts'
import classes from './overview.module.css'

type Kind = 'good' | 'warn' | 'bad'

/** One figure for each kind of problem, linked to the full list. */
export function Tiles({ overview }: { overview: Overview }) {
  const { t } = useTranslation()
  const { undelivered, refusing, stale, neverPushed, ending, drifting, circuits, alerts, holds, stopSells } =
    overview
  const isUrgent = undelivered.arrivingWithin.day > 0 || undelivered.dead > 0
  return (
    <ul className={classes['tiles']} aria-label={t('overview.figures')}>
      <Tile
        title={t('overview.undelivered.title')}
        counted={undelivered.all}
        kind={
          undelivered.all.count === 0 ? 'good' : isUrgent || undelivered.olderThan.hour > 0 ? 'bad' : 'warn'
        }
        detail={useUndeliveredText(undelivered)}
        to={{ to: '/deliveries', search: { state: 'undelivered' } }}
      />
      <Tile
        title={t('overview.alerts.title')}
        counted={alerts}
        kind={alerts.count === 0 ? 'good' : alerts.critical > 0 ? 'bad' : 'warn'}
        detail={
          alerts.count === 0
            ? t('overview.alerts.none')
            : t('overview.alerts.sub', { count: alerts.critical })
        }
        to={{ to: '/alerts' }}
      />
      <Tile
        title={t('overview.holds.title')}
        counted={holds}
        kind={holds.count === 0 ? 'good' : 'warn'}
        detail={
          holds.count === 0 ? t('overview.holds.none') : t('overview.holds.sub', { count: holds.hotels })
        }
        to={{ to: '/holds' }}
      />
      <StopSellsTile stopSells={stopSells} />
      <Tile
        title={t('overview.refusing.title')}
        counted={{ count: refusing.length, isMore: false }}
        kind={refusing.length === 0 ? 'good' : 'bad'}
        detail={
          refusing.length === 0
            ? t('overview.refusing.none')
            : t('overview.refusing.sub', { count: refusing.length })
        }
        to={{ to: '/pushes', search: refusedSearch(overview) }}
      />
      <Tile
        title={t('overview.stale.title')}
        counted={stale}
        kind={stale.count === 0 ? 'good' : 'warn'}
        detail={stale.count === 0 ? t('overview.stale.none') : t('overview.stale.sub')}
        to={{ to: '/hotels', search: { staleSince: stale.since, available: 'yes', sort: 'stalest' } }}
      />
      <NeverPushedTile neverPushed={neverPushed} />
      <Tile
        title={t('overview.ending.title')}
        counted={ending}
        kind={ending.count === 0 ? 'good' : 'warn'}
        detail={
          ending.count === 0
            ? t('overview.ending.none')
            : t('overview.ending.sub', { month: monthWords(ending.endsBy) })
        }
        to={{ to: '/hotels', search: { endsBy: ending.endsBy, available: 'yes', sort: 'ending' } }}
      />
      <Tile
        title={t('overview.drifting.title')}
        counted={drifting.nights}
        kind={drifting.nights.count === 0 ? 'good' : 'warn'}
        detail={
          drifting.nights.count === 0
            ? t('overview.drifting.none')
            : t('overview.drifting.sub', { count: drifting.hotels.length })
        }
        to={{ to: '/price-checks', search: { view: 'drift' } }}
      />
      <Tile
        title={t('overview.circuits.title')}
        counted={{ count: circuits.length, isMore: false }}
        kind={circuits.length === 0 ? 'good' : 'bad'}
        detail={circuits.length === 0 ? t('overview.circuits.none') : t('overview.circuits.sub')}
        to={{ to: '/price-checks', search: { view: 'latency' } }}
      />
    </ul>
  )
}

function StopSellsTile({ stopSells }: Pick<Overview, 'stopSells'>) {
  const { t } = useTranslation()
  return (
    <Tile
      title={t('overview.stopSells.title')}
      counted={stopSells}
      kind={stopSells.count === 0 ? 'good' : 'warn'}
      detail={
        stopSells.count === 0
          ? t('overview.stopSells.none')
          : t('overview.stopSells.sub', { count: stopSells.hotels })
      }
      to={{ to: '/stop-sells' }}
    />
  )
}

function NeverPushedTile({ neverPushed }: Pick<Overview, 'neverPushed'>) {
  const { t } = useTranslation()
  return (
    <Tile
      title={t('overview.neverPushed.title')}
      counted={neverPushed}
      kind={neverPushed.count === 0 ? 'good' : 'warn'}
      detail={neverPushed.count === 0 ? t('overview.neverPushed.none') : t('overview.neverPushed.sub')}
      to={{ to: '/hotels', search: { ari: 'none', available: 'yes', sort: 'newest' } }}
    />
  )
}

const iconByKind = { good: CircleCheck, warn: TriangleAlert, bad: CircleAlert }

function Tile({
  title,
  counted: { count, isMore },
  kind,
  detail,
  to,
}: {
  title: string
  counted: Counted
  kind: Kind
  detail: string
  to: Pick<LinkProps, 'to' | 'search'>
}) {
  const { t } = useTranslation()
  const Icon = iconByKind[kind]
  return (
    <li data-kind={kind}>
      <Link {...to} className={classes['tile']} data-kind={kind}>
        <span className={classes['tileTitle']}>
          <Icon size={15} aria-hidden />
          {title}
          <span className={classes['figure']}>{isMore ? t('overview.more', { count }) : count}</span>
        </span>
        <span className={classes['detail']}>{detail}</span>
      </Link>
    </li>
  )
}

const dayMs = 86_400_000

/** The refused pushes that the tile counts: of the last day, and of the supplier if it is only one. */
function refusedSearch({ at, refusing }: Overview): Record<string, string> {
  const [first, ...others] = refusing
  const since = new Date(Date.parse(at) - dayMs).toISOString().slice(0, 10)
  const isOne = first !== undefined && others.length === 0
  return { outcome: 'rejected', since, ...(isOne ? { supplierId: String(first.supplierId) } : {}) }
}

/** The most urgent facts first. */
function useUndeliveredText({
  all,
  arrivingWithin,
  olderThan,
  dead,
  withoutUrl,
}: Overview['undelivered']): string {
  const { t } = useTranslation()
  if (all.count === 0) return t('overview.undelivered.none')
  const parts = [
    arrivingWithin.day > 0 && t('overview.undelivered.near', { count: arrivingWithin.day }),
    dead > 0 && t('overview.undelivered.dead', { count: dead }),
    withoutUrl > 0 && t('overview.undelivered.noUrl', { count: withoutUrl }),
    olderThan.hour > 0 && t('overview.undelivered.old', { count: olderThan.hour }),
  ].filter((text) => text !== false)
  return parts.slice(0, 2).join(' · ')
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'short', year: 'numeric' })

/** `2027-04` as `Apr 2027`. */
export function monthWords(month: string): string {
  return monthFormat.format(new Date(`${month}-01T00:00:00Z`))
}
