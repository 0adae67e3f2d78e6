import { PasswordInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { passwordLength } from '../../../../src/operators/contract.ts'

export function NewPassword({
  value,
  onChange,
  isFirst = false,
}: {
  value: string
  onChange: (value: string) => void
  /** The fields of its form. */
  isFirst?: boolean
}) {
  const { t } = useTranslation()
  return (
    <PasswordInput
      label={t('access.password.next')}
      description={t('access.password.hint', passwordLength)}
      autoComplete="new-password"
      required
      withAsterisk={false}
      minLength={passwordLength.min}
      maxLength={passwordLength.max}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ 'aria-label': t('access.signIn.show') }}
      data-autofocus={isFirst}
      autoFocus={isFirst}
    />
  )
}
