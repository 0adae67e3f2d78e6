import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorNote } from './error-note.tsx'

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
