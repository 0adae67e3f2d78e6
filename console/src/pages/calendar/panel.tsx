import { ActionIcon, Group, Title } from '@mantine/core'
import { X } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './calendar.module.css'

/** A panel next to the calendar; takes the focus if opened by keyboard. Escape closes it. */
export function Panel({
  title,
  takesFocus,
  onClose,
  children,
}: {
  title: string
  takesFocus: boolean
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus, title])
  return (
    <section
      className={`${classes['colours'] ?? ''} ${classes['panel'] ?? ''}`}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="xs">
        <Title order={2} ref={heading} tabIndex={-1} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <ActionIcon aria-label={t('calendar.close')} onClick={onClose}>
          <X size={16} aria-hidden />
        </ActionIcon>
      </Group>
      {children}
    </section>
  )
}
