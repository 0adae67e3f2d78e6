import { Group, Skeleton, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Filters, SupplierFilter, TextFilter } from '../../parts/lists/filters.tsx'
import { ButtonTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { useCalendarUrl } from './grid/calendar-url.ts'
import { ChosenHotels } from './chosen-hotels.tsx'
import { HotelsView } from './hotels-view.tsx'
import { useHotelLines } from './grid/use-calendar.ts'

const filterNames = ['supplierId', 'search', 'hotelIds', 'page', 'open'] as const

/** Several hotels one below the other: of a supplier, of a search, or chosen one by one. */
export function CalendarsPage() {
  const { t } = useTranslation()
  const [url, set] = useCalendarUrl()
  const search = useSearch({ strict: false })
  const of = (name: string): string => search[name] ?? ''
  const { data, error, isPending, refetch } = useHotelLines({
    supplierId: of('supplierId'),
    search: of('search'),
    hotelIds: of('hotelIds'),
    cursor: of('page'),
    adults: url.adults,
    childAges: url.childAges,
  })
  return (
    <Page title={t('calendar.many.title')} intro={t('calendar.many.intro')}>
      <Filters names={filterNames}>
        <SupplierFilter label={t('calendar.many.supplier')} />
        <TextFilter name="search" label={t('calendar.many.search')} />
        <ChosenHotels />
      </Filters>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton height={480} />}
      {data && data.hotels.length === 0 && <Text>{t('calendar.many.none')}</Text>}
      {data && data.hotels.length > 0 && (
        <>
          <HotelsView calendar={data} url={url} set={set} open={of('open')} />
          <Group justify="space-between" mt="xs">
            <Text role="status" size="xs" c="dimmed">
              {t('calendar.many.shown', { count: data.hotels.length })}
            </Text>
            <Pages isFirst={of('page') === ''} next={data.nextCursor} />
          </Group>
        </>
      )}
    </Page>
  )
}

/** As links, so that the browser leads back to the page before. */
function Pages({ isFirst, next }: { isFirst: boolean; next: string | null }) {
  const { t } = useTranslation()
  if (isFirst && next === null) return null
  const at = (page: string | undefined) => (before: Readonly<Record<string, string | undefined>>) => ({
    ...before,
    page,
    open: undefined,
  })
  return (
    <Group component="nav" aria-label={t('calendar.many.pages')} gap="xs">
      {!isFirst && (
        <ButtonTo to="." search={at(undefined)} variant="default">
          {t('calendar.many.first')}
        </ButtonTo>
      )}
      {next !== null && (
        <ButtonTo to="." search={at(next)} variant="default">
          {t('calendar.many.next')}
        </ButtonTo>
      )}
    </Group>
  )
}
