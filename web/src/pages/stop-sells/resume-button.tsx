import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListedStopSell } from '../../../../src/console-api/stop-sells/contract.ts'
import { useChange } from '../../api.ts'
import { Confirm } from '../../parts/dialogs.tsx'
import { useNights } from '../../parts/values/nights-text.ts'

export function ResumeButton({ stopSell }: { stopSell: ListedStopSell }) {
  const { t } = useTranslation()
  const nightsOf = useNights()
  const [isOpen, setOpen] = useState(false)
  const resume = useChange('resumeSales', {
    invalidates: [
      'searchStopSells',
      'getOverview',
      'getCalendar',
      'getCalendarCell',
      'explainStay',
      'getHotel',
    ],
  })
  const { stopSellId, hotelName: hotel, operator } = stopSell
  const reason = stopSell.reason ?? t('stopSells.noReason')
  const close = (): void => {
    setOpen(false)
    resume.reset()
  }
  // Not by a callback: the row, and this button with it, may be gone from the list by then.
  const send = async (): Promise<void> => {
    const { changed, kept } = await resume.mutateAsync({ params: { stopSellId } })
    const stays = kept.length > 0 ? ` ${t('stopSells.kept', nightsOf(kept))}` : ''
    notifications.show({ message: t('stopSells.resumed', nightsOf(changed)) + stays })
    close()
  }
  return (
    <>
      <Button
        variant="default"
        size="compact-xs"
        aria-label={t('stopSells.resumeOf', { reason, hotel })}
        onClick={() => setOpen(true)}
      >
        {t('stopSells.resume')}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('stopSells.resumeTitle', { hotel })}
        confirm={t('stopSells.resume')}
        isBusy={resume.isPending}
        error={resume.error}
        // The dialog shows the error.
        onConfirm={() => void send().catch(() => undefined)}
      >
        <Text size="sm">{t('stopSells.resumeAbout', { operator, reason })}</Text>
      </Confirm>
    </>
  )
}
