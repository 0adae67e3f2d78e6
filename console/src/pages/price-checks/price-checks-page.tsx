import { useTranslation } from 'react-i18next'
import { Page } from '../../parts/page.tsx'
import { useFilter } from '../../parts/filters.tsx'
import { ViewLinks } from '../deliveries/view-links.tsx'
import { ChecksView } from './checks-view.tsx'
import { DriftView } from './drift-view.tsx'
import { LatencyView } from './latency-view.tsx'

const viewNames = ['checks', 'latency', 'drift'] as const
const contentByView = { checks: ChecksView, latency: LatencyView, drift: DriftView } as const

export function PriceChecksPage() {
  const { t } = useTranslation()
  const [requested] = useFilter('view')
  const view = viewNames.find((name) => name === requested) ?? 'checks'
  const Content = contentByView[view]
  return (
    <Page title={t('priceChecks.title')} intro={t('priceChecks.intro')}>
      <ViewLinks
        name="view"
        label={t('priceChecks.view')}
        views={viewNames.map((value) => ({ value, label: t(`priceChecks.views.${value}`) }))}
        current={view}
      />
      <Content />
    </Page>
  )
}
