import { useTranslation } from 'react-i18next'
import type { Overview, WatchedHotel } from '../../../../src/console-api/overview/contract.ts'
import { Code } from '../../parts/values/code.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { Ago } from '../../parts/values/time.tsx'
import { NameOf, Panel, ShortList, type PanelColumn } from './panel.tsx'
import { monthWords } from './tiles.tsx'

type Named = { hotelId: number; name: string; supplier: string }

function HotelLink({ hotelId, name, supplier }: Named) {
  return (
    <NameOf of={supplier}>
      <LinkTo to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }}>
        {name}
      </LinkTo>
    </NameOf>
  )
}

export function StalePanel({ stale }: { stale: Overview['stale'] }) {
  const { t } = useTranslation()
  const columns: PanelColumn<WatchedHotel>[] = [
    { header: t('overview.stale.hotel'), cell: (hotel) => <HotelLink {...hotel} /> },
    {
      header: t('overview.stale.last'),
      cell: ({ lastAriAt }) => <Ago at={lastAriAt} />,
      align: 'right',
    },
  ]
  return (
    <Panel
      title={t('overview.stale.list')}
      action={
        <LinkTo
          to="/hotels"
          search={{ staleSince: stale.since, available: 'yes', sort: 'stalest' }}
          size="sm"
        >
          {t('overview.all')}
        </LinkTo>
      }
    >
      <ShortList
        label={t('overview.stale.list')}
        rows={stale.hotels}
        rowKey={({ hotelId }) => hotelId}
        columns={columns}
        empty={t('overview.stale.listEmpty')}
      />
    </Panel>
  )
}

export function NeverPushedPanel({ neverPushed }: { neverPushed: Overview['neverPushed'] }) {
  const { t } = useTranslation()
  return (
    <Panel
      title={t('overview.neverPushed.list')}
      action={
        <LinkTo to="/hotels" search={{ ari: 'none', available: 'yes', sort: 'newest' }} size="sm">
          {t('overview.all')}
        </LinkTo>
      }
    >
      <ShortList
        label={t('overview.neverPushed.list')}
        rows={neverPushed.hotels}
        rowKey={({ hotelId }) => hotelId}
        columns={[
          { header: t('overview.neverPushed.hotel'), cell: (hotel) => <HotelLink {...hotel} /> },
          {
            header: t('overview.neverPushed.since'),
            cell: ({ createdAt }) => <Ago at={createdAt} />,
            align: 'right',
          },
        ]}
        empty={t('overview.neverPushed.listEmpty')}
      />
    </Panel>
  )
}

export function EndingPanel({ ending }: { ending: Overview['ending'] }) {
  const { t } = useTranslation()
  return (
    <Panel
      title={t('overview.ending.list')}
      action={
        <LinkTo to="/hotels" search={{ endsBy: ending.endsBy, available: 'yes', sort: 'ending' }} size="sm">
          {t('overview.all')}
        </LinkTo>
      }
    >
      <ShortList
        label={t('overview.ending.list')}
        rows={ending.hotels}
        rowKey={({ hotelId }) => hotelId}
        columns={[
          { header: t('overview.ending.hotel'), cell: (hotel) => <HotelLink {...hotel} /> },
          {
            header: t('overview.ending.until'),
            cell: ({ ariUntilMonth }) => (ariUntilMonth === null ? '' : monthWords(ariUntilMonth)),
            align: 'right',
          },
        ]}
        empty={t('overview.ending.listEmpty')}
      />
    </Panel>
  )
}

export function DriftingPanel({ drifting }: { drifting: Overview['drifting'] }) {
  const { t } = useTranslation()
  return (
    <Panel
      title={t('overview.drifting.list')}
      action={
        <LinkTo to="/price-checks" search={{ view: 'drift' }} size="sm">
          {t('overview.all')}
        </LinkTo>
      }
    >
      <ShortList
        label={t('overview.drifting.list')}
        rows={drifting.hotels}
        rowKey={({ hotelId }) => hotelId}
        columns={[
          { header: t('overview.drifting.hotel'), cell: (hotel) => <HotelLink {...hotel} /> },
          { header: t('overview.drifting.nights'), cell: ({ nights }) => nights, align: 'right' },
          {
            header: t('overview.drifting.most'),
            cell: ({ mostPercent }) => `${mostPercent}%`,
            align: 'right',
          },
        ]}
        empty={t('overview.drifting.listEmpty')}
      />
    </Panel>
  )
}

export function CircuitsPanel({ circuits }: { circuits: Overview['circuits'] }) {
  const { t } = useTranslation()
  return (
    <Panel
      title={t('overview.circuits.list')}
      {...(circuits.length === 0 ? {} : { note: t('overview.circuits.note') })}
    >
      <ShortList
        label={t('overview.circuits.list')}
        rows={circuits}
        rowKey={({ supplierId, place }) => `${supplierId} ${place}`}
        columns={[
          {
            header: t('overview.circuits.supplier'),
            cell: ({ supplierId, supplier }) => (
              <LinkTo to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }}>
                {supplier}
              </LinkTo>
            ),
          },
          { header: t('overview.circuits.url'), cell: ({ place }) => <Code>{place}</Code> },
          {
            header: t('overview.circuits.state'),
            cell: ({ state }) => (
              <StatusBadge kind={state === 'open' ? 'bad' : 'warn'} label={t(`overview.circuits.${state}`)} />
            ),
          },
        ]}
        empty={t('overview.circuits.listEmpty')}
      />
    </Panel>
  )
}

export function StopSellsPanel({ stopSells }: { stopSells: Overview['stopSells'] }) {
  const { t } = useTranslation()
  return (
    <Panel
      title={t('overview.stopSells.list')}
      action={
        <LinkTo to="/stop-sells" size="sm">
          {t('overview.all')}
        </LinkTo>
      }
    >
      <ShortList
        label={t('overview.stopSells.list')}
        rows={stopSells.first}
        rowKey={({ stopSellId }) => stopSellId}
        columns={[
          {
            header: t('overview.stopSells.hotel'),
            cell: ({ hotelName, ...row }) => <HotelLink {...row} name={hotelName} />,
          },
          {
            header: t('overview.stopSells.reason'),
            cell: ({ reason }) => reason ?? t('stopSells.noReason'),
          },
          { header: t('overview.stopSells.by'), cell: ({ operator }) => operator },
          { header: t('overview.stopSells.since'), cell: ({ at }) => <Ago at={at} />, align: 'right' },
        ]}
        empty={t('overview.stopSells.listEmpty')}
      />
    </Panel>
  )
}
