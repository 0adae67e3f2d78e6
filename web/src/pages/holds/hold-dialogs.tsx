import { Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ConsoleHold } from '../../../../src/console-api/holds/contract.ts'
import { useChange } from '../../api.ts'
import { FormDialog } from '../../parts/dialogs.tsx'

type Props = { hold: ConsoleHold; onClose: () => void }

/** A release or discard is two steps, because neither can be taken back. */
export function ReleaseDialog({ hold, onClose }: Props) {
  const { t } = useTranslation()
  const [reason, setReason] = useState('')
  const release = useChange('releaseHold', {
    invalidates: ['searchHolds', 'getOverview', 'getCalendar', 'getCalendarCell', 'listPushes'],
  })
  const send = (): void =>
    release.mutate(
      { params: { holdId: hold.holdId }, body: bodyOf(reason) },
      {
        onSuccess: ({ cellsChanged, skipped }) => {
          const left = skipped.length > 0 ? `; ${t('holds.skipped', { count: skipped.length })}` : ''
          notifications.show({ message: t('holds.released', { count: cellsChanged }) + left })
          onClose()
        },
      },
    )
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('holds.releaseTitle', { hotel: hold.hotelName })}
      submit={t('holds.release')}
      onSubmit={send}
      isBusy={release.isPending}
      isDangerous
      error={release.error}
    >
      <Text size="sm">{t('holds.releaseAbout', { count: hold.cells })}</Text>
      <Reason value={reason} onChange={setReason} />
    </FormDialog>
  )
}

export function DiscardDialog({ hold, onClose }: Props) {
  const { t } = useTranslation()
  const [reason, setReason] = useState('')
  const discard = useChange('discardHold', { invalidates: ['searchHolds', 'getOverview'] })
  const send = (): void =>
    discard.mutate(
      { params: { holdId: hold.holdId }, body: bodyOf(reason) },
      {
        onSuccess: () => {
          notifications.show({ message: t('holds.discarded') })
          onClose()
        },
      },
    )
  return (
    <FormDialog
      isOpen
      onClose={onClose}
      title={t('holds.discardTitle', { hotel: hold.hotelName })}
      submit={t('holds.discard')}
      onSubmit={send}
      isBusy={discard.isPending}
      isDangerous
      error={discard.error}
    >
      <Text size="sm">{t('holds.discardAbout')}</Text>
      <Reason value={reason} onChange={setReason} />
    </FormDialog>
  )
}

const bodyOf = (reason: string): { reason?: string } =>
  reason.trim() === '' ? {} : { reason: reason.trim() }

function Reason({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('holds.reason')}
      maxLength={200}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
