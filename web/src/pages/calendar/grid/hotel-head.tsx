import { UnstyledButton } from '@mantine/core'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFilter } from '../../../parts/lists/filters.tsx'
import { LinkTo } from '../../../parts/link-to.tsx'
import classes from '../calendar.module.css'
import { toggled } from './calendar-url.ts'
import type { HotelRow } from './rows.ts'

/** The head of a hotel's line: opens and folds its rooms, and leads to its own calendar. */
export function HotelHead({ row: { hotel, isOpen } }: { row: HotelRow }) {
  const { t } = useTranslation()
  const [open, setOpen] = useFilter('open')
  const { hotelId, name, code, supplier, currency } = hotel
  const Icon = isOpen ? ChevronDown : ChevronRight
  const about = [currency, code, supplier].join(' · ')
  return (
    <div className={classes['hotelHead']}>
      <UnstyledButton
        className={classes['fold']}
        aria-expanded={isOpen}
        aria-label={t('calendar.many.unfold', { name })}
        onClick={() => setOpen(toggled(open, hotelId))}
      >
        <Icon size={14} aria-hidden />
      </UnstyledButton>
      <div className={classes['hotelNames']}>
        <LinkTo
          to="/hotels/$hotelId/calendar"
          params={{ hotelId: String(hotelId) }}
          className={classes['name'] ?? ''}
          title={name}
        >
          {name}
        </LinkTo>
        <span className={classes['code']} title={about}>
          {about}
        </span>
      </div>
    </div>
  )
}
