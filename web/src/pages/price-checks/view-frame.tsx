import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ViewLinks } from '../../parts/lists/filters.tsx'
import { Page } from '../../parts/page.tsx'

export const viewNames = ['checks', 'latency', 'drift'] as const
export type ViewName = (typeof viewNames)[number]

/** The frame of a view: the links to the others, and its export where every page has it. */
export function ViewFrame({
  view,
  actions,
  children,
}: {
  view: ViewName
  actions: ReactNode
  children: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <Page title={t('priceChecks.title')} intro={t('priceChecks.intro')} actions={actions}>
      <ViewLinks
        name="view"
        label={t('priceChecks.view')}
        views={viewNames.map((value) => ({ value, label: t(`priceChecks.views.${value}`) }))}
        current={view}
      />
      {children}
    </Page>
  )
}
