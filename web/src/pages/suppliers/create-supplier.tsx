import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api.ts'
import { FormDialog } from '../../parts/dialogs.tsx'
import { exampleCall, SecretDialog, useSecret } from './new-key.tsx'

/** A new supplier, usually with its first key at once: without one it can do nothing. */
export function CreateSupplier({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [isWithKey, setWithKey] = useState(true)
  const create = useChange('createSupplier', { invalidates: ['listSuppliers'] })
  const key = useSecret('createSupplierKey')
  // Whoever failed to get a key tries again for the same supplier.
  const made = create.data?.supplierId
  const given = name.trim()
  const createKey = (supplierId: number): void =>
    key.run({ params: { supplierId }, body: { channelManager: 'direct' } })
  const show = (supplierId: number): void =>
    void navigate({ to: '/suppliers/$supplierId', params: { supplierId: String(supplierId) } })
  const submit = (): void => {
    if (made === undefined)
      create.mutate(
        { body: { name: given } },
        { onSuccess: ({ supplierId }) => (isWithKey ? createKey(supplierId) : show(supplierId)) },
      )
    else if (isWithKey) createKey(made)
    else show(made)
  }
  if (made !== undefined && key.made)
    return (
      <SecretDialog
        title={t('suppliers.create.doneTitle', { name: given })}
        what={t('suppliers.secret.key')}
        secret={key.made.apiKey}
        example={exampleCall(key.made.apiKey)}
        onClose={() => show(made)}
      />
    )
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('suppliers.create.title')}
      submit={t('suppliers.create.submit')}
      isBusy={create.isPending || key.isBusy}
      isReady={given !== ''}
      error={create.error ?? key.error}
      onSubmit={submit}
    >
      <Stack gap="sm">
        <TextInput
          label={t('suppliers.create.name')}
          description={t('suppliers.create.nameHint')}
          required
          maxLength={100}
          value={name}
          disabled={made !== undefined}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <Checkbox
          label={t('suppliers.create.withKey')}
          description={t('suppliers.create.withKeyHint')}
          checked={isWithKey}
          onChange={(event) => setWithKey(event.currentTarget.checked)}
        />
      </Stack>
    </FormDialog>
  )
}
