import { Alert, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ownBuild, servedBuild } from './served-build.ts'

const lookEveryMs = 60_000

/** After an upgrade of the service, offers to load the new console; whoever is filling in a form finishes first. */
export function UpgradeNote() {
  const { t } = useTranslation()
  const { data: served } = useQuery({
    queryKey: ['served-build'],
    queryFn: async () => (await servedBuild()) ?? null,
    refetchInterval: lookEveryMs,
    refetchOnWindowFocus: true,
    staleTime: 0,
  })
  if (served === undefined || served === null || served === ownBuild) return null
  return (
    <Alert color="blue" mb="md" role="status">
      <Group justify="space-between" gap="sm">
        <Text size="sm">{t('shell.upgraded')}</Text>
        <Button onClick={() => window.location.reload()}>{t('parts.reload')}</Button>
      </Group>
    </Alert>
  )
}
