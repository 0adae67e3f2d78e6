import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OperatorRole } from '../../../../src/http/route.ts'
import type { SignInLink, StoredOperator } from '../../../../src/operators/contract.ts'
import { serviceUrl } from '../../address.ts'
import { type AnswerTo, useChange, useUncachedChange } from '../../api.ts'
import { CopyButton } from '../../parts/values/code.tsx'
import { Confirm, Dialog, FormDialog } from '../../parts/dialogs.tsx'
import { timeText } from '../../parts/values/time.tsx'
import { AccountForm, RoleChoice, type RoleChoices } from './account-form.tsx'
import classes from './operators.module.css'

/** Confirmations before an operator is changed. */
type DialogProps = { operator: StoredOperator; onClose: () => void }

export function ChangeRole({ operator: { operatorId, name, role }, onClose }: DialogProps) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState(role)
  const choices = useRoles()
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
      <RoleChoice choices={choices} value={chosen} onChange={setChosen} />
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
  return (
    <AccountForm
      title={t('access.create.title')}
      submit={t('access.create.submit')}
      nameHint={t('access.create.nameHint')}
      choices={useRoles()}
      usualRole="viewer"
      isBusy={isBusy}
      error={error}
      onClose={onClose}
      onCreate={(body) =>
        run({ body }, (answer) => {
          void queries.invalidateQueries({ queryKey: ['listOperators'] })
          onMade(answer)
        })
      }
    />
  )
}

/** The roles, each with its permissions. */
function useRoles(): RoleChoices<OperatorRole> {
  const { t } = useTranslation()
  return roles.map((role) => ({ role, label: t(`shell.role.${role}`), hint: t(`access.roleHint.${role}`) }))
}

const roles = ['viewer', 'operator', 'admin'] as const satisfies readonly OperatorRole[]

/** Shows a sign-in link once. It closes only by its button, not by accident. */
export function LinkDialog({
  name,
  link: { token, expiresAt },
  onClose,
}: {
  name: string
  link: SignInLink
  onClose: () => void
}) {
  const { t } = useTranslation()
  const url = `${serviceUrl}/console/sign-in#token=${token}`
  return (
    <Dialog isOpen isLocked onClose={onClose} title={t('access.link.title', { name })} size="lg">
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
    </Dialog>
  )
}
