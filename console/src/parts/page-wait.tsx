import { Skeleton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Placeholder while data is loading. */
export function PageWait({ lines = 6 }: { lines?: number }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm" role="status" aria-label={t('parts.loading')}>
      <Skeleton height={22} width={180} mb="xs" />
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={14} width={`${96 - ((line * 7) % 30)}%`} />
      ))}
    </Stack>
  )
}
