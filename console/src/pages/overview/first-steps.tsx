import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../parts/data-table.tsx'
import { ButtonTo } from '../../parts/link-to.tsx'
import { useMe } from '../../parts/session.tsx'

/** The first steps, shown until there is a hotel. */
export function FirstSteps() {
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
          <Button component="a" href="/docs/guides" variant="default">
            {t('overview.begin.guide')}
          </Button>
        </Group>
      }
    />
  )
}
