import { Alert } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Overview } from '../../../../src/console/overview/contract.ts'

/** Problems with the vault key, and the progress of changing it. */
export function VaultNote({ vault }: { vault: Overview['vault'] }) {
  const { t } = useTranslation()
  const { state, cardsToRewrap, cardsUnreadable } = vault
  if (state === 'missing' || state === 'foreign' || state === 'behind')
    return (
      <Alert color={state === 'behind' ? 'yellow' : 'red'} mb="md" title={t(`overview.vault.${state}`)}>
        {t(`overview.vault.${state}Means`)}
      </Alert>
    )
  if (cardsUnreadable > 0)
    return (
      <Alert color="red" mb="md" title={t('overview.vault.unreadable', { count: cardsUnreadable })}>
        {t('overview.vault.unreadableMeans')}
      </Alert>
    )
  if (cardsToRewrap === 0) return null
  return (
    <Alert color="blue" mb="md" title={t('overview.vault.rewrap', { count: cardsToRewrap })}>
      {t('overview.vault.rewrapMeans')}
    </Alert>
  )
}
