import { Button, Group, NativeSelect, SegmentedControl } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { restrictions } from '../../../../src/ari/restrictions.ts'
import { storageName } from '../../address.ts'
import { DateField } from '../../parts/lists/date-field.tsx'
import { FoldedOnPhone } from '../../parts/folded.tsx'
import { TextFilter } from '../../parts/lists/filters.tsx'
import { Marker } from './grid/calendar-rows.tsx'
import type { CalendarUrl } from './grid/calendar-url.ts'
import classes from './calendar.module.css'
import { unsoldMarker, type MarkerLook } from './grid/cell-look.ts'
import { densities } from './grid/layout.ts'

const adultsMax = 6
const usualAdults = '2'

/** Date, party and density. */
export function Toolbar({
  url,
  set,
  from,
  firstDate,
  lastDate,
  onDate,
  onMove,
  onToday,
}: {
  url: CalendarUrl
  set: (values: Partial<CalendarUrl>) => void
  /** The first visible night. */
  from: string
  firstDate: string
  lastDate: string
  onDate: (date: string) => void
  /** By one screen, backward or forward. */
  onMove: (direction: -1 | 1) => void
  onToday: () => void
}) {
  const { t } = useTranslation()
  const isSet = [url.adults !== usualAdults, url.childAges !== '', url.rows !== '', url.rooms !== '']
  const count = isSet.filter(Boolean).length
  const most = Math.max(adultsMax, Number(url.adults))
  return (
    <Group component="search" aria-label={t('calendar.view')} gap="xs" align="flex-end" mb={6}>
      <Group gap={4} align="flex-end" wrap="nowrap">
        <Button variant="default" px={6} aria-label={t('calendar.earlier')} onClick={() => onMove(-1)}>
          <ChevronLeft size={16} aria-hidden />
        </Button>
        <Button variant="default" onClick={onToday}>
          {t('calendar.today')}
        </Button>
        <Button variant="default" px={6} aria-label={t('calendar.later')} onClick={() => onMove(1)}>
          <ChevronRight size={16} aria-hidden />
        </Button>
      </Group>
      <DateField label={t('calendar.goTo')} value={from} min={firstDate} max={lastDate} onChange={onDate} />
      <SegmentedControl
        aria-label={t('calendar.density')}
        value={url.density}
        onChange={(value) => set({ density: densities.find((one) => one === value) ?? 'fortnight' })}
        data={densities.map((value) => ({ value, label: t(`calendar.densities.${value}`) }))}
      />
      <FoldedOnPhone
        set={count}
        label={{ none: t('calendar.options'), some: t('calendar.optionsSet', { count }) }}
      >
        <NativeSelect
          label={t('calendar.adults')}
          value={url.adults}
          onChange={(event) => set({ adults: event.currentTarget.value })}
          data={Array.from({ length: most }, (_, index) => String(index + 1))}
        />
        <TextFilter
          name="childAges"
          label={t('calendar.childAges')}
          placeholder={t('calendar.childAgesExample')}
          width={120}
        />
        <NativeSelect
          label={t('calendar.rows')}
          value={url.rows}
          onChange={(event) => set({ rows: event.currentTarget.value === 'rooms' ? 'rooms' : '' })}
          data={[
            { value: '', label: t('calendar.rowsShown.all') },
            { value: 'rooms', label: t('calendar.rowsShown.rooms') },
          ]}
        />
        <TextFilter name="rooms" label={t('calendar.search')} width={170} />
      </FoldedOnPhone>
    </Group>
  )
}

const markers = [
  { key: 'stop', text: 'S', look: 'stop' },
  { key: 'closed', text: '✕', look: 'closed' },
  { key: 'arrival', text: 'A', look: 'arrival' },
  { key: 'departure', text: 'D', look: 'departure' },
  { key: 'stayArrival', text: '≥2', look: 'stayArrival' },
  { key: 'stayDeparture', text: '≥2', look: 'stayDeparture' },
  { key: 'stayThrough', text: '≥2', look: 'stayThrough' },
  { key: 'advance', text: '≥2d', look: 'advance' },
  { key: 'ownUnits', text: '4', look: 'ownUnits' },
] as const
const looksOfRestrictions = new Set<MarkerLook>(Object.values(restrictions).map(({ marker }) => marker.look))
/** A symbol that no restriction has needs no explanation. */
const explained = markers.filter(({ look }) => look === 'ownUnits' || looksOfRestrictions.has(look))
const swatches = ['shut', 'soldOut', 'missing', 'weekend'] as const

/** The meaning of each symbol, shape and colour; who knows them folds it away, for good. */
export function Legend({ isOfHotels = false }: { isOfHotels?: boolean }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useLocalStorage({
    key: storageName('legend'),
    // On a phone it would fill the window.
    defaultValue: window.matchMedia('(min-width: 40em)').matches,
    getInitialValueInEffect: false,
  })
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes['legendTitle']}>{t('calendar.legend.title')}</summary>
      <ul
        className={`${classes['colours'] ?? ''} ${classes['legend'] ?? ''}`}
        aria-label={t('calendar.legend.title')}
      >
        {explained.map(({ key, text, look }) => (
          <li key={key}>
            <Marker text={text} look={look} />
            {t(`calendar.legend.${key}`)}
          </li>
        ))}
        {isOfHotels && (
          <li>
            <Marker text={unsoldMarker(3).text} look={unsoldMarker(3).look} />
            {t('calendar.legend.unsold')}
          </li>
        )}
        {swatches.map((look) => (
          <li key={look}>
            <span className={`${classes['swatch'] ?? ''} ${classes[look] ?? ''}`} aria-hidden />
            {t(`calendar.legend.${look}`)}
          </li>
        ))}
      </ul>
    </details>
  )
}
