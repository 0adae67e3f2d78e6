import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

/** Every filter of a page is in its URL, so that a link shows the same list. */

/** A filter's value ('' if not set) and its setter. */
export function useFilter(name: string): [value: string, set: (value: string) => void] {
  const search = useSearch({ strict: false })
  const setFilters = useSetFilters()
  return [search[name] ?? '', (value) => setFilters({ [name]: value })]
}

/** Sets several at once; '' removes one. */
export function useSetFilters(): (values: Readonly<Record<string, string>>) => void {
  const navigate = useNavigate()
  return (values) => {
    void navigate({
      to: '.',
      search: (before: Readonly<Record<string, string | undefined>>) =>
        Object.fromEntries(
          Object.entries({ ...before, ...values }).filter(([, value]) => value !== undefined && value !== ''),
        ),
      replace: true,
      resetScroll: false,
    })
  }
}

/** The filters of a page in a row, with a button that clears the listed ones. */
export function Filters({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const setFilters = useSetFilters()
  const isSet = names.some((name) => (search[name] ?? '') !== '')
  return (
    <Group component="search" aria-label={t('parts.filters')} gap="xs" align="flex-end" mb="sm">
      {children}
      {isSet && (
        <Button
          variant="subtle"
          onClick={() => setFilters(Object.fromEntries(names.map((name) => [name, ''])))}
        >
          {t('parts.clearFilters')}
        </Button>
      )}
    </Group>
  )
}

export function SelectFilter({
  name,
  label,
  options,
}: {
  name: string
  label: string
  options: readonly { value: string; label: string }[]
}) {
  const { t } = useTranslation()
  const [value, set] = useFilter(name)
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      data={[{ value: '', label: t('parts.any') }, ...options]}
    />
  )
}

const typingMs = 250

/** Set while people type, a moment after each keystroke. */
export function TextFilter({
  name,
  label,
  placeholder,
  width = 200,
}: {
  name: string
  label: string
  placeholder?: string
  width?: number
}) {
  const [value, set] = useFilter(name)
  const [typed, setTyped] = useState(value)
  const later = useDebouncedCallback(set, typingMs)
  // The URL also changes by other means: back, a link, clear.
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      label={label}
      w={width}
      value={typed}
      {...(placeholder === undefined ? {} : { placeholder })}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        later(event.currentTarget.value)
      }}
    />
  )
}

export function DateFilter({ name, label }: { name: string; label: string }) {
  const [value, set] = useFilter(name)
  return (
    <TextInput type="date" label={label} value={value} onChange={(event) => set(event.currentTarget.value)} />
  )
}
