import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ApiError } from '../api.ts'
import { ErrorNote } from './error-note.tsx'
import { ButtonTo, HomeButton } from './link-to.tsx'
import { Page } from './page.tsx'

const lists = {
  hotel: '/hotels',
  supplier: '/suppliers',
  push: '/pushes',
  reservation: '/reservations',
} as const

/** In place of the page of a thing that can't be read: there is none with this number, or the service failed. */
export function UnreadPage({
  what,
  title,
  crumbs,
  error,
  onRetry,
}: {
  what: keyof typeof lists
  /** While it isn't known that there is none. */
  title: string
  crumbs: readonly ReactNode[]
  error: ApiError
  onRetry: () => void
}) {
  const { t } = useTranslation()
  if (error.status !== 404)
    return (
      <Page title={title} crumbs={crumbs}>
        <ErrorNote error={error} onRetry={onRetry} />
      </Page>
    )
  return (
    <Page title={t(`parts.unknown.${what}.title`)} crumbs={crumbs}>
      <Text mb="md">{t(`parts.unknown.${what}.hint`)}</Text>
      <Group gap="xs">
        <ButtonTo to={lists[what]}>{t(`parts.unknown.${what}.list`)}</ButtonTo>
        <HomeButton variant="default" />
      </Group>
    </Page>
  )
}
