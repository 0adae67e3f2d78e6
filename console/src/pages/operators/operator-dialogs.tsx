import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OperatorRole } from '../../../../src/http/route.ts'
import { operatorNameLengthMax, type StoredOperator } from '../../../../src/operators/contract.ts'
import { type AnswerTo, useChange, useUncachedChange } from '../../api.ts'
import { CopyButton } from '../../parts/code.tsx'
import { Confirm, FormDialog } from '../../parts/dialogs.tsx'
import { timeText } from '../../parts/time.tsx'
import classes from './operators.module.css'

/** Confirmations before an operator is changed. */
type DialogProps = { operator: StoredOperator; onClose: () => void }

export function ChangeRole({ operator: { operatorId, name, role }, onClose }: DialogProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState(role)
  const change = useChange('changeOperatorRole', { invalidates: ['listOperators', 'whoAmI'] })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('access.changeRole.title', { name })}
      submit={t('access.changeRole.submit')}
      isBusy={change.isPending}
      isReady={chosen !== role}
      error={change.error}
      onSubmit={() =>
        change.mutate({ params: { operatorId }, body: { role: chosen } }, { onSuccess: onClose })
      }
    >
      <RoleChoice value={chosen} onChange={setChosen} />
    </FormDialog>
  )
}

export function DisableOperator({ operator: { operatorId, name }, onClose }: DialogProps) {
  const { t } = useTranslation()
  const disable = useChange('disableOperator', { invalidates: ['listOperators', 'whoAmI'] })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('access.disable.title', { name })}
      confirm={t('access.operators.disable')}
      isDangerous
      isBusy={disable.isPending}
      error={disable.error}
      onConfirm={() => disable.mutate({ params: { operatorId } }, { onSuccess: onClose })}
    >
      <Text size="sm">{t('access.disable.text')}</Text>
    </Confirm>
  )
}

export function ResetSecondFactor({ operator: { operatorId, name }, onClose }: DialogProps) {
  const { t } = useTranslation()
  const reset = useChange('resetSecondFactor', { invalidates: ['listOperators'] })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('access.resetSecondFactor.title', { name })}
      confirm={t('access.resetSecondFactor.submit')}
      isDangerous
      isBusy={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate({ params: { operatorId } }, { onSuccess: onClose })}
    >
      <Text size="sm">{t('access.resetSecondFactor.text')}</Text>
    </Confirm>
  )
}

export function NewLink({
  operator: { operatorId, name },
  onClose,
  onMade,
}: DialogProps & { onMade: (answer: AnswerTo<'createSignInLink'>) => void }) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('createSignInLink')
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={t('access.newLink.title', { name })}
      confirm={t('access.newLink.submit')}
      isBusy={isBusy}
      error={error}
      onConfirm={() => run({ params: { operatorId } }, onMade)}
    >
      <Text size="sm">{t('access.newLink.text')}</Text>
    </Confirm>
  )
}

export function CreateOperator({
  onClose,
  onMade,
}: {
  onClose: () => void
  onMade: (answer: AnswerTo<'createOperator'>) => void
}) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { run, isBusy, error } = useUncachedChange('createOperator')
  const [name, setName] = useState('')
  const [role, setRole] = useState<OperatorRole>('viewer')
  const create = () =>
    run({ body: { name: name.trim(), role } }, (answer) => {
      void queries.invalidateQueries({ queryKey: ['listOperators'] })
      onMade(answer)
    })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('access.create.title')}
      submit={t('access.create.submit')}
      isBusy={isBusy}
      isReady={name.trim() !== ''}
      error={error}
      onSubmit={create}
    >
      <TextInput
        label={t('access.operators.name')}
        description={t('access.create.nameHint')}
        required
        withAsterisk={false}
        maxLength={operatorNameLengthMax}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <RoleChoice value={role} onChange={setRole} />
    </FormDialog>
  )
}

/** Shows a sign-in link once. It closes only by its button, not by accident. */
export function LinkDialog({
  operator: { name },
  link: { token, expiresAt },
  onClose,
}: AnswerTo<'createSignInLink'> & { onClose: () => void }) {
  const { t } = useTranslation()
  const url = `${window.location.origin}/console/sign-in#token=${token}`
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('access.link.title', { name })}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Alert color="yellow" icon={<Link size={16} aria-hidden />} title={t('access.link.once')}>
          {t('access.link.until', { name, time: timeText(expiresAt) ?? expiresAt })}
        </Alert>
        <div className={classes['link']}>
          <code className={classes['linkText']}>{url}</code>
          <CopyButton text={url} what={t('access.link.what')} />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('access.link.kept')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const roles = ['viewer', 'operator', 'admin'] as const satisfies readonly OperatorRole[]

/** The roles, each with its permissions. */
function RoleChoice({ value, onChange }: { value: OperatorRole; onChange: (role: OperatorRole) => void }) {
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
