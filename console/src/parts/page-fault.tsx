import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ErrorNote } from './error-note.tsx'
import { Page } from './page.tsx'

/** In place of a page that failed while it was shown; the rest of the console goes on. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation()
  return (
    <Page title={t('parts.pageFailed')}>
      <ErrorNote error={error} onRetry={reset} />
      <Button mt="md" variant="default" onClick={() => window.location.reload()}>
        {t('parts.reload')}
      </Button>
    </Page>
  )
}
