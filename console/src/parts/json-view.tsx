import { ActionIcon, Group, Text, TextInput } from '@mantine/core'
import { ChevronDown, ChevronUp, Search } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './copy-button.tsx'
import { openAtFirst, placesAbove, placesWith, rootPlace, type Place } from './json-nodes.ts'
import { JsonTree, type Opened } from './json-tree.tsx'
import classes from './json-view.module.css'

const firstOpen = { depth: 3, most: 60 }

/** A body as it was sent: branches open and close, and what is searched for is found in closed ones too. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<ReadonlySet<Place>>(() => openAtFirst(value, firstOpen))
  const [typed, setTyped] = useState('')
  const sought = useDeferredValue(typed.trim())
  const [at, setAt] = useState(0)
  const [hasGone, setHasGone] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const found = useMemo(
    () => (sought === '' ? { places: [], isAll: true } : placesWith(value, sought)),
    [value, sought],
  )
  const current = found.places[at]

  const goTo = (index: number): void => {
    const count = found.places.length
    if (count === 0) return
    const next = (index + count) % count
    const place = found.places[next] ?? rootPlace
    setAt(next)
    setOpen((before) => new Set([...before, ...placesAbove(place)]))
    requestAnimationFrame(() =>
      frame.current?.querySelector('[data-current]')?.scrollIntoView({ block: 'nearest' }),
    )
  }
  const opened: Opened = {
    has: (place) => open.has(place),
    set: (place, isOpen) =>
      setOpen((before) => {
        const after = new Set(before)
        if (isOpen) after.add(place)
        else after.delete(place)
        return after
      }),
  }
  const count = found.places.length
  const said = found.isAll ? t('parts.json.found', { count }) : t('parts.json.moreFound', { count })
  return (
    <div className={classes['frame']}>
      <Group gap="xs" className={classes['bar']}>
        <TextInput
          aria-label={t('parts.json.search')}
          placeholder={t('parts.json.search')}
          leftSection={<Search size={12} aria-hidden />}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setAt(0)
            setHasGone(false)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            // The first Enter shows the first match, further ones the next.
            goTo(hasGone ? at + (event.shiftKey ? -1 : 1) : 0)
            setHasGone(true)
          }}
        />
        <Text size="xs" c="dimmed" role="status">
          {sought === '' ? '' : said}
        </Text>
        {count > 0 && (
          <>
            <ActionIcon size="sm" aria-label={t('parts.json.previous')} onClick={() => goTo(at - 1)}>
              <ChevronUp size={14} aria-hidden />
            </ActionIcon>
            <ActionIcon size="sm" aria-label={t('parts.json.next')} onClick={() => goTo(at + 1)}>
              <ChevronDown size={14} aria-hidden />
            </ActionIcon>
          </>
        )}
        <span className={classes['copy']}>
          <CopyButton text={JSON.stringify(value, null, 2)} what={label} />
        </span>
      </Group>
      <div ref={frame} className={classes['body']} tabIndex={0} role="region" aria-label={label}>
        <JsonTree value={value} opened={opened} sought={sought} current={current} />
      </div>
    </div>
  )
}
