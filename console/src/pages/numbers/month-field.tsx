import { ActionIcon, Group, TextInput } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFilter } from '../../parts/filters.tsx'

/** Years as the service takes them; while a year is typed, it is another one. */
const monthShape = /^2[01]\d\d-(?:0[1-9]|1[0-2])$/

/** The month in the URL, as `2027-03`; `month` is the one that the page shows. */
export function MonthField({ month }: { month: string }) {
  const { t } = useTranslation()
  const [, set] = useFilter('month')
  // Browsers without a month picker show a text field, in which a month is incomplete for a while.
  const [typed, setTyped] = useState(month)
  useEffect(() => setTyped(month), [month])
  const [previous, next] = [monthAfter(month, -1), monthAfter(month, 1)]
  return (
    <Group gap={4} align="flex-end" wrap="nowrap">
      <Step label={t('numbers.filter.previous')} to={previous} icon={ChevronLeft} onStep={set} />
      <TextInput
        type="month"
        label={t('numbers.filter.month')}
        placeholder="YYYY-MM"
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value)
          if (monthShape.test(value)) set(value)
        }}
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
    <ActionIcon
      variant="default"
      size="input-sm"
      aria-label={label}
      disabled={to === undefined}
      onClick={() => to !== undefined && onStep(to)}
    >
      <Icon size={16} aria-hidden />
    </ActionIcon>
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
