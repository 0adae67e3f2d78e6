import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { endOfDay } from './days.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { exampleCall, SecretDialog } from './secret-dialog.tsx'
import { useSecret } from './use-secret.ts'

export function NewKey({ supplierId, onClose }: { supplierId: number; onClose: () => void }) {
  const { t } = useTranslation()
  const [channelManager, setChannelManager] = useState('')
  const [lastDay, setLastDay] = useState('')
  const create = useSecret('createSupplierKey')
  if (create.made) {
    const { apiKey } = create.made
    return (
      <SecretDialog
        title={t('suppliers.newKey.doneTitle')}
        what={t('suppliers.secret.key')}
        secret={apiKey}
        example={exampleCall(apiKey)}
        onClose={onClose}
      />
    )
  }
  const expiresAt = endOfDay(lastDay)
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.newKey.title')}
      submit={t('suppliers.newKey.submit')}
      isBusy={create.isBusy}
      isReady={channelManager.trim() !== ''}
      error={create.error}
      onSubmit={() =>
        create.run({
          params: { supplierId },
          body: { channelManager: channelManager.trim(), ...(expiresAt === null ? {} : { expiresAt }) },
        })
      }
    >
      <Stack gap="sm">
        <TextInput
          label={t('suppliers.newKey.channelManager')}
          description={t('suppliers.newKey.channelManagerHint')}
          required
          maxLength={100}
          value={channelManager}
          onChange={(event) => setChannelManager(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          type="date"
          label={t('suppliers.newKey.expiresAt')}
          description={t('suppliers.newKey.expiresAtHint')}
          value={lastDay}
          onChange={(event) => setLastDay(event.currentTarget.value)}
        />
      </Stack>
    </FormDialog>
  )
}
