import { Button, Group } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { DateField } from '../../parts/lists/date-field.tsx'
import { useFilter } from '../../parts/lists/filters.tsx'

/** Years as the service takes them. */
const monthShape = /^2[01]\d\d-(?:0[1-9]|1[0-2])$/

/** The month in the URL, as `2027-03`; `month` is the one that the page shows. */
export function MonthField({ month }: { month: string }) {
  const { t } = useTranslation()
  const [, set] = useFilter('month')
  const [previous, next] = [monthAfter(month, -1), monthAfter(month, 1)]
  return (
    <Group gap={4} align="flex-end" wrap="nowrap">
      <Step label={t('numbers.filter.previous')} to={previous} icon={ChevronLeft} onStep={set} />
      <DateField
        type="month"
        label={t('numbers.filter.month')}
        value={month}
        onChange={(chosen) => monthShape.test(chosen) && set(chosen)}
      />
      <Step label={t('numbers.filter.next')} to={next} icon={ChevronRight} onStep={set} />
    </Group>
  )
}

function Step({
  label,
  to,
  icon: Icon,
  onStep,
}: {
  label: string
  to: string | undefined
  icon: typeof ChevronLeft
  onStep: (month: string) => void
}) {
  return (
    <Button
      variant="default"
      px={6}
      aria-label={label}
      disabled={to === undefined}
      onClick={() => to !== undefined && onStep(to)}
    >
      <Icon size={16} aria-hidden />
    </Button>
  )
}

function monthAfter(month: string, months: number): string | undefined {
  const [year = 0, inYear = 0] = month.split('-').map(Number)
  const found = monthShape.test(month) ? isoDay(Date.UTC(year, inYear - 1 + months)).slice(0, -3) : ''
  return monthShape.test(found) ? found : undefined
}

/** The first and the last day of a month. */
export function daysOf(month: string): { first: string; last: string } {
  const [year = 0, inYear = 0] = month.split('-').map(Number)
  return { first: `${month}-01`, last: isoDay(Date.UTC(year, inYear, 0)) }
}

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)
