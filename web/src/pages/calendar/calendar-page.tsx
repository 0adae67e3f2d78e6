import { Button, Skeleton } from '@mantine/core'
import { OctagonX } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useFilter, useIdParam } from '../../parts/lists/filters.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { Can, useCan } from '../../parts/session.tsx'
import { useVisit } from '../../parts/visits.ts'
import { UnreadPage } from '../../parts/unknown-page.tsx'
import { HotelLine, NeighbourButtons } from '../hotels/hotel-line.tsx'
import { StopSellBadge } from '../stop-sells/hotel-stop-sells.tsx'
import { useCalendarUrl } from './grid/calendar-url.ts'
import { CalendarView, type ViewHandle } from './calendar-view.tsx'
import { StopSellDialog, type StopSellDraft } from './panels/stop-sell-dialog.tsx'
import { useCalendar } from './grid/use-calendar.ts'

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
  const [asked, setAsked] = useFilter('do')
  const mayStop = useCan('operator')
  // A link that asks for the dialog, as Ctrl+K gives.
  const linked: StopSellDraft | undefined =
    calendar && mayStop && (asked === 'stop' || asked === 'open')
      ? { room: '', rate: '', from: calendar.today, to: calendar.today, action: asked, only: url.rooms }
      : undefined
  const open = draft ?? linked
  const close = (): void => {
    setDraft(undefined)
    if (asked !== '') setAsked('')
  }
  const name = calendar?.hotel.name ?? ''
  useVisit(calendar?.hotel.name)
  if (error && !calendar)
    return (
      <UnreadPage
        what="hotel"
        title={t('calendar.title')}
        crumbs={[]}
        error={error}
        onRetry={() => void refetch()}
      />
    )
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
      beside={
        <Can role="viewer">
          <StopSellBadge hotelId={hotelId} />
        </Can>
      }
      intro={calendar && <HotelLine hotel={calendar.hotel} />}
      actions={
        calendar && (
          <>
            <NeighbourButtons hotelId={hotelId} to="/hotels/$hotelId/calendar" />
            <Can role="operator">
              <Button
                variant="default"
                leftSection={<OctagonX size={14} aria-hidden />}
                onClick={() => setDraft(view.current?.stopSellDraft())}
              >
                {t('calendar.stopSell.button')}
              </Button>
            </Can>
          </>
        )
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton height={480} />}
      {calendar && <CalendarView key={hotelId} calendar={calendar} url={url} set={set} handle={view} />}
      {calendar && open && <StopSellDialog calendar={calendar} draft={open} onClose={close} />}
    </Page>
  )
}
