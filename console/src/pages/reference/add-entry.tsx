import { Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReferenceList } from '../../../../src/console/reference/contract.ts'
import { useChange } from '../../api.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'

const keyCharactersMax: Readonly<Record<ReferenceList, number>> = { roomTypes: 100, mealPlans: 20 }

export function AddEntry({ list, onClose }: { list: ReferenceList; onClose: () => void }) {
  const { t } = useTranslation()
  const [key, setKey] = useState('')
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const isMealPlan = list === 'mealPlans'
  const add = useChange('addReferenceEntry', { invalidates: ['listReferenceEntries'] })
  const isFilled = [key, description, isMealPlan ? name : 'none needed'].every((text) => text.trim() !== '')
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t(`reference.addTitle.${list}`)}
      submit={t('reference.submit')}
      isBusy={add.isPending}
      isReady={isFilled}
      error={add.error}
      onSubmit={() =>
        add.mutate(
          {
            body: {
              list,
              key: key.trim(),
              description: description.trim(),
              ...(isMealPlan ? { name: name.trim() } : {}),
            },
          },
          { onSuccess: onClose },
        )
      }
    >
      <Text size="sm">{t(`reference.addHint.${list}`)}</Text>
      <TextInput
        label={t(`reference.key.${list}`)}
        required
        maxLength={keyCharactersMax[list]}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        data-autofocus
      />
      {isMealPlan && (
        <TextInput
          label={t('reference.name')}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <Textarea
        label={t('reference.description')}
        required
        autosize
        minRows={2}
        maxLength={500}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
