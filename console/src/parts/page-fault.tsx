import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ErrorNote } from './error-note.tsx'
import { Page } from './page.tsx'

/** Replaces a page that failed to render; the rest of the console keeps working. */
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
