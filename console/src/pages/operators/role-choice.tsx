import { Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OperatorRole } from '../../../../src/http/route.ts'

const roles = ['viewer', 'operator', 'admin'] as const satisfies readonly OperatorRole[]

/** The roles, each with its permissions. */
export function RoleChoice({
  value,
  onChange,
}: {
  value: OperatorRole
  onChange: (role: OperatorRole) => void
}) {
  const { t } = useTranslation()
  return (
    <Radio.Group
      label={t('access.operators.role')}
      value={value}
      onChange={(chosen) => onChange(roles.find((role) => role === chosen) ?? value)}
    >
      <Stack gap="xs" mt={6}>
        {roles.map((role) => (
          <Radio
            key={role}
            size="xs"
            value={role}
            label={t(`shell.role.${role}`)}
            description={t(`access.roleHint.${role}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
