import { Button } from '@mantine/core'
import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './parts.module.css'

/** On a phone, fields behind one button that says how many are set: they would fill the first screen. Elsewhere as they are. */
export function FoldedOnPhone({
  set,
  label,
  children,
}: {
  /** How many of the fields are set. */
  set: number
  /** The button's, without and with a number of set fields. Absent: it names filters. */
  label?: { none: string; some: string } | undefined
  children: ReactNode
}) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <Button
        variant="default"
        className={classes['unfold'] ?? ''}
        leftSection={<SlidersHorizontal size={14} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {set === 0
          ? (label?.none ?? t('parts.filters'))
          : (label?.some ?? t('parts.filtersSet', { count: set }))}
      </Button>
      <div id={id} className={classes['folded']} data-open={isOpen}>
        {children}
      </div>
    </>
  )
}
