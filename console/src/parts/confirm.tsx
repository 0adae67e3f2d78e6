import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorNote } from './error-note.tsx'

/** Asks for confirmation of a change; if the change fails, it stays open and shows the error. */
export function Confirm({
  isOpen,
  onClose,
  title,
  children,
  confirm,
  onConfirm,
  isBusy = false,
  isDangerous = false,
  error,
}: {
  isOpen: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** The label of the button: a verb for the action. */
  confirm: string
  onConfirm: () => void
  isBusy?: boolean
  isDangerous?: boolean
  error?: unknown
}) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('parts.cancel') }}
    >
      <Stack gap="md">
        <div>{children}</div>
        {error !== undefined && error !== null && <ErrorNote error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus={isDangerous ? true : undefined}>
            {t('parts.cancel')}
          </Button>
          <Button
            {...(isDangerous ? { color: 'red' } : {})}
            loading={isBusy}
            onClick={onConfirm}
            data-autofocus={isDangerous ? undefined : true}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
