import { Button, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AnswerTo } from '../../api.ts'
import { keepCsrfToken } from '../../csrf.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { CodeField } from './code-field.tsx'
import { SecondFactorSetUp } from './second-factor-setup.tsx'
import { useUncachedChange } from './use-uncached-change.ts'

/** In the user menu: sets up, replaces or removes the second factor. */
export function OwnSecondFactor({ me, onClose }: { me: AnswerTo<'whoAmI'>; onClose: () => void }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const { isSetUp, recoveryCodesLeft } = me.secondFactor
  // The state when the dialog was opened: it changes while the recovery codes are still shown.
  const [wasSetUp] = useState(isSetUp)
  const [doing, setDoing] = useState<'set up' | 'remove' | undefined>(wasSetUp ? undefined : 'set up')
  const [isKeeping, setKeeping] = useState(false)
  const done = () => {
    void queries.invalidateQueries({ queryKey: ['whoAmI'] })
    onClose()
  }
  if (doing === 'remove') return <Remove onClose={onClose} onDone={done} />
  return (
    <Modal
      opened
      onClose={onClose}
      attributes={{ header: { role: 'none' } }}
      title={t('access.secondFactor.title')}
      withCloseButton={!isKeeping}
      closeOnClickOutside={!isKeeping}
      closeOnEscape={!isKeeping}
      closeButtonProps={{ 'aria-label': t('parts.cancel') }}
    >
      {doing === 'set up' ? (
        <SecondFactorSetUp isReplaced={wasSetUp} onDone={done} onKept={() => setKeeping(true)} />
      ) : (
        <Stack gap="md">
          <Text size="sm">{t('access.secondFactor.isSetUp', { count: recoveryCodesLeft })}</Text>
          <Button size="sm" fullWidth onClick={() => setDoing('set up')} data-autofocus>
            {t('access.secondFactor.replace')}
          </Button>
          <Button size="sm" fullWidth variant="default" onClick={() => setDoing('remove')}>
            {t('access.secondFactor.remove')}
          </Button>
        </Stack>
      )}
    </Modal>
  )
}

function Remove({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation()
  const { run, isBusy, error } = useUncachedChange('removeSecondFactor')
  const [code, setCode] = useState('')
  const remove = () =>
    run({ body: { code } }, ({ csrfToken }) => {
      keepCsrfToken(csrfToken)
      notifications.show({ message: t('access.secondFactor.removed'), color: 'teal' })
      onDone()
    })
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('access.secondFactor.remove')}
      submit={t('access.secondFactor.removeSubmit')}
      isBusy={isBusy}
      isReady={code !== ''}
      isDangerous
      error={error}
      onSubmit={remove}
    >
      <CodeField value={code} onChange={setCode} isFirst />
    </FormDialog>
  )
}
