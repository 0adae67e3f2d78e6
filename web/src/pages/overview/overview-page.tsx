import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Overview } from '../../../../src/console-api/overview/contract.ts'
import { pathPrefix } from '../../address.ts'
import { useApi } from '../../api.ts'
import { EmptyState } from '../../parts/lists/data-table.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { ButtonTo } from '../../parts/link-to.tsx'
import { Page, PageWait } from '../../parts/page.tsx'
import { useMe } from '../../parts/session.tsx'
import { Time } from '../../parts/values/time.tsx'
import {
  CircuitsPanel,
  DriftingPanel,
  EndingPanel,
  NeverPushedPanel,
  StalePanel,
  StopSellsPanel,
} from './hotel-panels.tsx'
import classes from './overview.module.css'
import { DeliveryRatePanel, PushRatePanel } from './rate-panels.tsx'
import { Tiles } from './tiles.tsx'
import { RefusingPanel, UndeliveredPanel } from './trouble-panels.tsx'
import { WorkQueue } from './work-queue.tsx'

const everyMs = 15_000
/** While the traffic is counted for the first time after a start of the service. */
const soonMs = 1_000

/** Problems that need attention now, and recent traffic. */
export function OverviewPage() {
  const { t } = useTranslation()
  const { data, error, refetch } = useApi('getOverview', {}, { everyMs })
  useEffect(() => {
    if (data?.pushes.until !== null && data?.deliveries.until !== null) return undefined
    const timer = setTimeout(() => void refetch(), soonMs)
    return () => clearTimeout(timer)
  }, [data, refetch])
  return (
    <Page
      title={t('overview.title')}
      actions={
        data && (
          <Text size="xs" c="dimmed" component="div" className={classes['asOf']}>
            {t('overview.asOf')} <Time at={data.at} />
          </Text>
        )
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {data && <VaultNote vault={data.vault} />}
      {data ? <OverviewContent overview={data} /> : !error && <PageWait lines={12} />}
    </Page>
  )
}

function OverviewContent({ overview }: { overview: Overview }) {
  if (!overview.hasHotels && overview.pushes.steps.every(({ rejected }) => rejected === 0))
    return <FirstSteps />
  return (
    <>
      <Tiles overview={overview} />
      <WorkQueue />
      <div className={classes['panels']}>
        <div className={classes['wide']}>
          <UndeliveredPanel urgent={overview.undelivered.urgent} />
        </div>
        <div>
          <PushRatePanel rates={overview.pushes} />
          <RefusingPanel refusing={overview.refusing} />
          <StalePanel stale={overview.stale} />
          <NeverPushedPanel neverPushed={overview.neverPushed} />
        </div>
        <div>
          <DeliveryRatePanel rates={overview.deliveries} />
          <StopSellsPanel stopSells={overview.stopSells} />
          <CircuitsPanel circuits={overview.circuits} />
          <EndingPanel ending={overview.ending} />
          <DriftingPanel drifting={overview.drifting} />
        </div>
      </div>
    </>
  )
}

/** The first steps, shown until there is a hotel. */
function FirstSteps() {
  const { t } = useTranslation()
  const { environment } = useMe()
  return (
    <EmptyState
      title={t('overview.begin.title')}
      hint={t('overview.begin.hint')}
      action={
        <Group justify="center" gap="xs">
          <ButtonTo to="/suppliers">{t('overview.begin.suppliers')}</ButtonTo>
          {environment === 'sandbox' && (
            <ButtonTo to="/sandbox" variant="default">
              {t('overview.begin.sandbox')}
            </ButtonTo>
          )}
          <Button component="a" href={`${pathPrefix}/docs/guides`} variant="default">
            {t('overview.begin.guide')}
          </Button>
        </Group>
      }
    />
  )
}

/** Problems with the vault key, and the progress of changing it. */
function VaultNote({ vault }: { vault: Overview['vault'] }) {
  const { t } = useTranslation()
  const { state, cardsToRewrap, cardsUnreadable } = vault
  if (state === 'missing' || state === 'foreign' || state === 'behind')
    return (
      <Alert color={state === 'behind' ? 'yellow' : 'red'} mb="md" title={t(`overview.vault.${state}`)}>
        {t(`overview.vault.${state}Means`)}
      </Alert>
    )
  if (cardsUnreadable > 0)
    return (
      <Alert color="red" mb="md" title={t('overview.vault.unreadable', { count: cardsUnreadable })}>
        {t('overview.vault.unreadableMeans')}
      </Alert>
    )
  if (cardsToRewrap === 0) return null
  return (
    <Alert color="blue" mb="md" title={t('overview.vault.rewrap', { count: cardsToRewrap })}>
      {t('overview.vault.rewrapMeans')}
    </Alert>
  )
}
