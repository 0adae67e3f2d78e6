import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorNote } from './error-note.tsx'

/** What last had the focus outside all dialogs and menus. */
let lastOnPage: HTMLElement | undefined
document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest('[role=dialog], [role=menu]')) lastOnPage = target
})

/**
 * A window above the page. The focus returns to the page when it closes; Mantine doesn't return it where a dialog is
 * removed while it is open, or was opened by a menu or by another dialog.
 */
export function Dialog({
  isOpen,
  isLocked = false,
  ...modal
}: Pick<ModalProps, 'onClose' | 'title' | 'size' | 'closeButtonProps' | 'children'> & {
  isOpen: boolean
  /** Whether only its own buttons close it. */
  isLocked?: boolean
}) {
  const { t } = useTranslation()
  useEffect(() => (isOpen ? returnFocus : undefined), [isOpen])
  return (
    <Modal
      opened={isOpen}
      returnFocus={false}
      withCloseButton={!isLocked}
      closeOnClickOutside={!isLocked}
      closeOnEscape={!isLocked}
      closeButtonProps={{ 'aria-label': t('parts.cancel') }}
      {...modal}
    />
  )
}

function returnFocus(): void {
  const { activeElement } = document
  if (activeElement === document.body || activeElement?.closest('[role=dialog]'))
    lastOnPage?.focus({ preventScroll: true })
}

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
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
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
    </Dialog>
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
    <Dialog isOpen={isOpen} onClose={onClose} title={title} size={size}>
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
    </Dialog>
  )
}
