import { Button } from '@mantine/core'
import { Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PushPage } from '../../../../src/console-api/pushes/contract.ts'
import { minuteText, useCopyMessage } from '../../parts/values/copy-message.ts'

type Problem = PushPage['problems'][number]

/** What the supplier needs to mend a push, for an e-mail or a chat: only the supplier can send it again. */
export function CopyMessage({ read: { push, problems } }: { read: PushPage }) {
  const { t } = useTranslation()
  const copyMessage = useCopyMessage()
  const copy = (): void =>
    copyMessage(
      t('pushes.message', {
        at: minuteText(push.at),
        requestId: push.requestId,
        problems: problems.map(problemText).join('\n'),
      }),
    )
  return (
    <Button variant="default" size="xs" leftSection={<Copy size={14} aria-hidden />} onClick={copy}>
      {t('work.copyMessage')}
    </Button>
  )
}

function problemText({ type, path, message, hint }: Problem): string {
  return [
    `    ${type}${path === undefined || path === '' ? '' : ` at ${path}`}: ${message}`,
    ...(hint === undefined ? [] : [`    ${hint}`]),
  ].join('\n')
}
