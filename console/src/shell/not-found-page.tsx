import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ButtonTo } from '../parts/link-to.tsx'
import { Page } from '../parts/page.tsx'

export function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <Page title={t('shell.notFoundTitle')}>
      <Text mb="md">{t('shell.notFoundHint')}</Text>
      <ButtonTo to="/">{t('shell.toOverview')}</ButtonTo>
    </Page>
  )
}
