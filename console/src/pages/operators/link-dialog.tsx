import { Alert, Button, Group, Modal, Stack } from '@mantine/core'
import { Link } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AnswerTo } from '../../api.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { timeText } from '../../parts/time-text.ts'
import classes from './operators.module.css'

/** Shows a sign-in link once. It closes only by its button, not by accident. */
export function LinkDialog({
  operator: { name },
  link: { token, expiresAt },
  onClose,
}: AnswerTo<'createSignInLink'> & { onClose: () => void }) {
  const { t } = useTranslation()
  const url = `${window.location.origin}/console/sign-in#token=${token}`
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('access.link.title', { name })}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack gap="md">
        <Alert color="yellow" icon={<Link size={16} aria-hidden />} title={t('access.link.once')}>
          {t('access.link.until', { name, time: timeText(expiresAt) ?? expiresAt })}
        </Alert>
        <div className={classes['link']}>
          <code className={classes['linkText']}>{url}</code>
          <CopyButton text={url} what={t('access.link.what')} />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('access.link.kept')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
