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
  isReady = true,
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
  /** Whether what is asked in it is complete. */
  isReady?: boolean
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
            disabled={!isReady}
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

/** A dialog with a form; Enter submits it. If the change fails, it stays open and shows the error. */
export function FormDialog({
  isOpen,
  onClose,
  title,
  submit,
  onSubmit,
  isBusy,
  isReady = true,
  isDangerous = false,
  size = 'md',
  error,
  children,
}: {
  isOpen: boolean
  onClose: () => void
  title: string
  /** The label of the button: a verb for the action. */
  submit: string
  onSubmit: () => void
  isBusy: boolean
  /** Whether the form is complete. */
  isReady?: boolean
  isDangerous?: boolean
  size?: 'md' | 'lg'
  error: unknown
  children: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      attributes={{ header: { role: 'none' } }}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': t('parts.cancel') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isBusy) onSubmit()
        }}
      >
        <Stack gap="md">
          {children}
          {error !== undefined && error !== null && <ErrorNote error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('parts.cancel')}
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={!isReady}
              {...(isDangerous ? { color: 'red' } : {})}
            >
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
