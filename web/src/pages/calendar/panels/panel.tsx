import { ActionIcon, Group, Title } from '@mantine/core'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { CellSetter } from '../../../../../src/console-api/calendar/explain-contract.ts'
import { LinkTo, ReservationLink } from '../../../parts/link-to.tsx'
import { Time } from '../../../parts/values/time.tsx'
import classes from '../calendar.module.css'

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
    // A panel that another one led to, and took the focus with it, would not hear Escape.
    if (takesFocus || document.activeElement === document.body)
      heading.current?.focus({ preventScroll: !takesFocus })
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

/** An operator, or the platform for people of a supplier, with the reason that was given. */
function StoppedBy({ setBy: { operator, reason } }: { setBy: Extract<CellSetter, { by: 'operator' }> }) {
  const { t } = useTranslation()
  if (operator === null)
    return reason === null ? t('calendar.setBy.platform') : t('calendar.setBy.platformReason', { reason })
  return reason === null
    ? t('calendar.setBy.operator', { name: operator })
    : t('calendar.setBy.operatorReason', { name: operator, reason })
}

/** The origin of a value: a push with its key, a reservation, or an operator. */
export function Setter({ setBy, zone }: { setBy: CellSetter | null; zone: string }) {
  const { t } = useTranslation()
  if (setBy === null) return <span>{t('calendar.setBy.unknown')}</span>
  if (setBy.by === 'operator') {
    return (
      <span>
        <StoppedBy setBy={setBy} /> <Time at={setBy.at} zone={zone} />
      </span>
    )
  }
  if (setBy.by === 'reservation') {
    return (
      <span>
        <ReservationLink id={setBy.reservationId} size="sm" underline="always">
          {t('calendar.setBy.reservation', { id: setBy.reservationId })}
        </ReservationLink>{' '}
        <Time at={setBy.at} zone={zone} />
      </span>
    )
  }
  const { pushId, requestId, item, keyId, key } = setBy
  return (
    <span>
      <LinkTo
        to="/pushes/$pushId"
        params={{ pushId: String(pushId) }}
        search={item === null ? {} : { at: `/ari/${item}` }}
        size="sm"
        underline="always"
        title={requestId}
      >
        {item === null ? t('calendar.setBy.push') : t('calendar.setBy.pushItem', { item })}
      </LinkTo>{' '}
      {keyId !== null && t('calendar.setBy.key', { key: key ?? '', keyId })}{' '}
      <Time at={setBy.at} zone={zone} />
    </span>
  )
}
