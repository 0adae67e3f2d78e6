import { ActionIcon, Group } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Check, Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import classes from '../parts.module.css'

/** A code or id as used in requests; with `copies` (its name), there is a copy button. */
export function Code({ children, copies }: { children: string; copies?: string }) {
  const code = <code className={classes['code']}>{children}</code>
  if (copies === undefined) return code
  return (
    <Group component="span" gap={2} wrap="nowrap" display="inline-flex">
      {code}
      <CopyButton text={children} what={copies} />
    </Group>
  )
}

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
