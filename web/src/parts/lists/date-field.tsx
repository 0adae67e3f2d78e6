import { TextInput } from '@mantine/core'
import { useState } from 'react'

/** While a year is typed, the date has another one: `0002`, `0020`, `0202`. */
const wholeShape = /^[12]\d{3}-\d\d(-\d\d)?$/

/**
 * A date, or a month, that is kept elsewhere, mostly in the URL. Typed part by part it is whole only in the end: until
 * then the field has its own text, and whatever comes back from the URL meanwhile doesn't take it away.
 */
export function DateField({
  type = 'date',
  label,
  value,
  onChange,
  ...limits
}: {
  type?: 'date' | 'month'
  label: string
  value: string
  onChange: (value: string) => void
  min?: string
  max?: string
}) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      type={type}
      label={label}
      // Of browsers in which it is a field of text.
      placeholder={type === 'month' ? 'YYYY-MM' : 'YYYY-MM-DD'}
      value={typed ?? value}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        const isEmptied = currentTarget.value === '' && !currentTarget.validity.badInput
        if (isEmptied || wholeShape.test(currentTarget.value)) onChange(currentTarget.value)
      }}
      onBlur={() => setTyped(undefined)}
      {...limits}
    />
  )
}
