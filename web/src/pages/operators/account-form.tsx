import { Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { operatorNameLengthMax } from '../../../../src/operators/contract.ts'
import { FormDialog } from '../../parts/dialogs.tsx'

export type RoleChoices<Role> = readonly { role: Role; label: string; hint: string }[]

/** A new account: of an operator, or of somebody of a supplier. */
export function AccountForm<Role extends string>({
  title,
  submit,
  nameHint,
  choices,
  usualRole,
  isBusy,
  error,
  onClose,
  onCreate,
}: {
  title: string
  submit: string
  nameHint: string
  choices: RoleChoices<Role>
  usualRole: Role
  isBusy: boolean
  error: unknown
  onClose: () => void
  onCreate: (account: { name: string; role: Role }) => void
}) {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const [role, setRole] = useState(usualRole)
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={title}
      submit={submit}
      isBusy={isBusy}
      isReady={name.trim() !== ''}
      error={error}
      onSubmit={() => onCreate({ name: name.trim(), role })}
    >
      <TextInput
        label={t('access.operators.name')}
        description={nameHint}
        required
        withAsterisk={false}
        maxLength={operatorNameLengthMax}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <RoleChoice choices={choices} value={role} onChange={setRole} />
    </FormDialog>
  )
}

export function RoleChoice<Role extends string>({
  choices,
  value,
  onChange,
}: {
  choices: RoleChoices<Role>
  value: Role
  onChange: (role: Role) => void
}) {
  const { t } = useTranslation()
  return (
    <Radio.Group
      label={t('access.operators.role')}
      value={value}
      onChange={(chosen) => onChange(choices.find(({ role }) => role === chosen)?.role ?? value)}
    >
      <Stack gap="xs" mt={6}>
        {choices.map(({ role, label, hint }) => (
          <Radio key={role} size="xs" value={role} label={label} description={hint} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
