import { ActionIcon } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'

const shownMs = 1_500

export function CopyButton({ text, what }: { text: string; what: string }) {
  const { t } = useTranslation()
  const clipboard = useClipboard({ timeout: shownMs })
  const label = clipboard.copied ? t('parts.copied') : t('parts.copyWhat', { what })
  return (
    <ActionIcon size="sm" aria-label={label} title={label} onClick={() => clipboard.copy(text)}>
      {clipboard.copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </ActionIcon>
  )
}
