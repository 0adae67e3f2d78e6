import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PushPage } from '../../../../src/console/pushes/contract.ts'

type Problem = PushPage['problems'][number]

/** What the supplier needs to mend a push, for an e-mail or a chat: only the supplier can send it again. */
export function CopyMessage({ read: { push, problems } }: { read: PushPage }) {
  const { t } = useTranslation()
  const clipboard = useClipboard()
  const copy = (): void => {
    clipboard.copy(
      t('pushes.message.text', {
        at: push.at.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' '),
        requestId: push.requestId,
        problems: problems.map(problemText).join('\n'),
      }),
    )
    notifications.show({ message: t('pushes.message.copied') })
  }
  return (
    <Button variant="default" size="xs" leftSection={<Copy size={14} aria-hidden />} onClick={copy}>
      {t('pushes.message.copy')}
    </Button>
  )
}

function problemText({ type, path, message, hint }: Problem): string {
  return [
    `    ${type}${path === undefined || path === '' ? '' : ` at ${path}`}: ${message}`,
    ...(hint === undefined ? [] : [`    ${hint}`]),
  ].join('\n')
}
