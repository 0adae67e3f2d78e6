import { Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { GoLiveStage, HotelPage } from '../../../../src/console-api/hotels/contract.ts'
import type { WholeStop } from '../../../../src/console-api/stop-sells/contract.ts'
import { Code } from '../../parts/values/code.tsx'
import { JsonView } from '../../parts/values/json-view.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { dateText, Time } from '../../parts/values/time.tsx'
import { OutcomeBadge } from '../pushes/outcome-badge.tsx'
import { PushLink } from './checklist.tsx'
import classes from './hotels.module.css'

export function HotelDetails({ read: { hotel, lastPushes } }: { read: HotelPage }) {
  const { t } = useTranslation()
  const zone = hotel.timeZone
  const isZoneAssumed = hotel.pushed['timezone'] === undefined
  const rows: [string, ReactNode][] = [
    [
      t('hotels.facts.code'),
      <Code key="code" copies={t('hotels.facts.code')}>
        {hotel.code}
      </Code>,
    ],
    [
      t('hotels.facts.id'),
      <Code key="id" copies={t('hotels.facts.id')}>
        {String(hotel.hotelId)}
      </Code>,
    ],
    [
      t('hotels.facts.supplier'),
      <LinkTo
        key="supplier"
        to="/suppliers/$supplierId"
        params={{ supplierId: String(hotel.supplierId) }}
        fz="sm"
      >
        {hotel.supplier}
      </LinkTo>,
    ],
    [t('hotels.facts.channelManager'), hotel.channelManager ?? ''],
    [t('hotels.facts.currency'), hotel.currency],
    [t('hotels.facts.timeZone'), isZoneAssumed ? t('hotels.facts.timeZoneAssumed', { zone }) : zone],
    [
      t('hotels.facts.children'),
      t('hotels.facts.childrenAre', { from: hotel.minChildAge, to: hotel.maxChildAge }),
    ],
    [t('hotels.facts.city'), hotel.cityMatched ?? t('hotels.facts.cityUnknown')],
    [t('hotels.facts.revision'), hotel.revision],
    [t('hotels.facts.created'), <Time key="created" at={hotel.createdAt} zone={zone} />],
    [t('hotels.facts.lastAri'), <Time key="lastAri" at={hotel.lastAriAt} zone={zone} />],
  ]
  return (
    <div className={classes['halves']}>
      <Stack gap="md">
        <Facts rows={rows} />
        <LastPushes lastPushes={lastPushes} zone={zone} />
      </Stack>
      <section>
        <Title order={2} mb="xs">
          {t('hotels.facts.pushed')}
        </Title>
        {Object.keys(hotel.pushed).length === 0 ? (
          <Text size="sm">{t('hotels.facts.nonePushed')}</Text>
        ) : (
          <JsonView value={hotel.pushed} label={t('hotels.facts.pushed')} />
        )}
      </section>
    </div>
  )
}

export function Facts({ rows }: { rows: readonly [string, ReactNode][] }) {
  return (
    <dl className={classes['facts']}>
      {rows.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function LastPushes({ lastPushes, zone }: { lastPushes: HotelPage['lastPushes']; zone: string }) {
  const { t } = useTranslation()
  const rows = lastPushes.map(({ kind, push }): [string, ReactNode] => [
    t(`pushes.kind.${kind}`),
    <Group key={kind} gap="xs">
      <PushLink push={push} zone={zone} />
      <OutcomeBadge outcome={push.outcome} />
    </Group>,
  ])
  return (
    <section>
      <Title order={2} mb="xs">
        {t('hotels.facts.lastPushes')}
      </Title>
      {rows.length === 0 ? <Text size="sm">{t('hotels.facts.noPushes')}</Text> : <Facts rows={rows} />}
    </section>
  )
}

/** The go-live stage of a hotel. */
export function StageBadge({ stage }: { stage: GoLiveStage }) {
  const { t } = useTranslation()
  return (
    <span className={classes['badge']}>
      <StatusBadge kind={stage === 'ready' ? 'good' : 'warn'} label={t(`hotels.stageLabel.${stage}`)} />
    </span>
  )
}

/** Whether the hotel takes bookings, as far as the steps before its first one allow. */
export function OpenBadge({ read: { hotel, checklist, stopped } }: { read: HotelPage }) {
  const { t } = useTranslation()
  if (!hotel.isAvailable) return <StatusBadge kind="idle" label={t('hotels.notOpen')} />
  if (stopped) return <StoppedBadge stopped={stopped} />
  const missing = checklist.filter(({ status }) => status === 'missing').length
  return missing === 0 ? (
    <StatusBadge kind="good" label={t('hotels.open')} />
  ) : (
    <StatusBadge kind="warn" label={t('hotels.openWithoutSteps', { count: missing })} />
  )
}

function StoppedBadge({ stopped: { reason, operator, until, lastNight } }: { stopped: WholeStop }) {
  const { t } = useTranslation()
  const why = reason ?? t('stopSells.noReason')
  return (
    <>
      <StatusBadge kind="bad" label={t('hotels.stopped.badge')} />
      <Text size="sm" component="span">
        {t('hotels.stopped.by', { name: operator ?? t('hotels.stopped.platform') })}{' '}
        {until === null ? dateText(lastNight) : <Time at={until} />}
        {t('hotels.stopped.why', { why })}
      </Text>
    </>
  )
}
