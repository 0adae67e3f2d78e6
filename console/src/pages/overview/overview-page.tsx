import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Overview } from '../../../../src/console/overview/contract.ts'
import { useApi } from '../../api.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { PageWait } from '../../parts/page-wait.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { FirstSteps } from './first-steps.tsx'
import { CircuitsPanel, DriftingPanel, EndingPanel, StalePanel } from './hotel-panels.tsx'
import classes from './overview.module.css'
import { DeliveryRatePanel, PushRatePanel } from './rate-panels.tsx'
import { Tiles } from './tiles.tsx'
import { RefusingPanel, UndeliveredPanel } from './trouble-panels.tsx'
import { VaultNote } from './vault-note.tsx'

const everyMs = 15_000

/** Problems that need attention now, and recent traffic. */
export function OverviewPage() {
  const { t } = useTranslation()
  const { data, error, refetch } = useApi('getOverview', {}, { everyMs })
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
      <div className={classes['panels']}>
        <div className={classes['wide']}>
          <UndeliveredPanel urgent={overview.undelivered.urgent} />
        </div>
        <div>
          <PushRatePanel rates={overview.pushes} />
          <RefusingPanel refusing={overview.refusing} />
          <StalePanel stale={overview.stale} />
        </div>
        <div>
          <DeliveryRatePanel rates={overview.deliveries} />
          <CircuitsPanel circuits={overview.circuits} />
          <EndingPanel ending={overview.ending} />
          <DriftingPanel drifting={overview.drifting} />
        </div>
      </div>
    </>
  )
}
