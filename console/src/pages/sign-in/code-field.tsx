import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { codeLengthMax } from '../../../../src/operators/contract.ts'
import { ApiError } from '../../api.ts'

/** Whether only a code is missing, which is not an error. */
export function isCodeAsked(error: unknown): boolean {
  return error instanceof ApiError && error.problems.some(({ type }) => type === 'CODE_REQUIRED')
}

/** A field for a code of the authenticator app, or a recovery code. */
export function CodeField({
  value,
  onChange,
  isFirst = false,
  isOfApp = false,
}: {
  value: string
  onChange: (value: string) => void
  /** Whether it takes the focus. */
  isFirst?: boolean
  /** Recovery codes are not accepted. */
  isOfApp?: boolean
}) {
  const { t } = useTranslation()
  return (
    <TextInput
      size="sm"
      label={t('access.code.label')}
      description={isOfApp ? t('access.code.appHint') : t('access.code.hint')}
      autoComplete="one-time-code"
      inputMode={isOfApp ? 'numeric' : 'text'}
      required
      withAsterisk={false}
      maxLength={codeLengthMax}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoFocus={isFirst}
      data-autofocus={isFirst}
    />
  )
}
