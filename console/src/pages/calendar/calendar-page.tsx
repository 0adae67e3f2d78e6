import { Button, Skeleton } from '@mantine/core'
import { OctagonX } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useIdParam } from '../../parts/filters.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Can } from '../../parts/session.tsx'
import { useCalendarUrl } from './calendar-url.ts'
import { CalendarView, type ViewHandle } from './calendar-view.tsx'
import { StopSellDialog, type StopSellDraft } from './stop-sell-dialog.tsx'
import { useCalendar } from './use-calendar.ts'

/** A hotel's rates and availability, night by night. */
export function CalendarPage() {
  const { t } = useTranslation()
  const hotelId = useIdParam('hotelId')
  const [url, set] = useCalendarUrl()
  const {
    data: calendar,
    error,
    isPending,
    refetch,
  } = useCalendar(hotelId, {
    adults: url.adults,
    childAges: url.childAges,
  })
  const view = useRef<ViewHandle>(null)
  const [draft, setDraft] = useState<StopSellDraft>()
  const name = calendar?.hotel.name ?? ''
  return (
    <Page
      title={name === '' ? t('calendar.title') : t('calendar.titleOf', { name })}
      crumbs={[
        <LinkTo key="hotels" to="/hotels" size="sm">
          {t('calendar.hotels')}
        </LinkTo>,
        <LinkTo key="hotel" to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }} size="sm">
          {name === '' ? String(hotelId) : name}
        </LinkTo>,
      ]}
      actions={
        calendar && (
          <Can role="operator">
            <Button
              variant="default"
              leftSection={<OctagonX size={14} aria-hidden />}
              onClick={() => setDraft(view.current?.stopSellDraft())}
            >
              {t('calendar.stopSell.button')}
            </Button>
          </Can>
        )
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton height={480} />}
      {calendar && <CalendarView key={hotelId} calendar={calendar} url={url} set={set} handle={view} />}
      {calendar && draft && (
        <StopSellDialog calendar={calendar} draft={draft} onClose={() => setDraft(undefined)} />
      )}
    </Page>
  )
}
