import { useClipboard } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'

/** Copies a message for a supplier, for an e-mail or a chat, and says so. */
export function useCopyMessage(): (text: string) => void {
  const { t } = useTranslation()
  const clipboard = useClipboard()
  return (text) => {
    clipboard.copy(text)
    notifications.show({ message: t('work.copied') })
  }
}

/** `2027-03-01 09:10`, in UTC as in the supplier's log. */
export function minuteText(at: string): string {
  return at.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')
}
