import { ActionIcon, Group, Text, TextInput, UnstyledButton } from '@mantine/core'
import { ChevronDown, ChevronRight, ChevronUp, Search } from 'lucide-react'
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './code.tsx'
import classes from '../parts.module.css'

const firstOpen = { depth: 3, most: 60 }

/** A body as it was sent: branches open and close, and what is searched for is found in closed ones too. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<ReadonlySet<Place>>(() => openAtFirst(value, firstOpen))
  const [typed, setTyped] = useState('')
  const searchFor = useDeferredValue(typed.trim())
  const [at, setAt] = useState(0)
  const [hasGone, setHasGone] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const found = useMemo(
    () => (searchFor === '' ? { places: [], isAll: true } : placesWith(value, searchFor)),
    [value, searchFor],
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
  const matchText = found.isAll ? t('parts.json.found', { count }) : t('parts.json.moreFound', { count })
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
          {searchFor === '' ? '' : matchText}
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
        <JsonTree value={value} opened={opened} searchFor={searchFor} current={current} />
      </div>
    </div>
  )
}

type Opened = { has: (place: Place) => boolean; set: (place: Place, isOpen: boolean) => void }

type Shown = { opened: Opened; searchFor: string; current: Place | undefined }

/** Of a long list, so many at first and with each request for more: a million lines would stop the browser. */
const membersAtOnce = 100

function JsonTree({ value, ...view }: Shown & { value: unknown }) {
  return (
    <ul className={classes['list']}>
      <MemberItem name={undefined} place={rootPlace} value={value} {...view} />
    </ul>
  )
}

/** `name` is undefined for the whole, and a number's text for an element of a list. */
function MemberItem({
  name,
  place,
  value,
  ...view
}: Shown & { name: string | undefined; place: Place; value: unknown }) {
  const isCurrent = view.current === place && view.searchFor !== ''
  return (
    <li className={classes['member']} data-current={isCurrent ? true : undefined}>
      {isBranch(value) ? (
        <Branch name={name} place={place} value={value} {...view} />
      ) : (
        <span className={classes['line']}>
          {name !== undefined && <Name text={name} searchFor={view.searchFor} />}
          <span className={classes['leaf']} data-kind={value === null ? 'null' : typeof value}>
            <Marked text={leafText(value)} searchFor={view.searchFor} />
          </span>
        </span>
      )}
    </li>
  )
}

function Branch({
  name,
  place,
  value,
  ...view
}: Shown & { name: string | undefined; place: Place; value: object }) {
  const { t } = useTranslation()
  const [most, setMost] = useState(membersAtOnce)
  const isList = Array.isArray(value)
  const count = Object.keys(value).length
  const isOpen = view.opened.has(place)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const members = isOpen ? membersOf(value, place) : []
  // What is searched for is shown however far down the list it is.
  const currentAt = members.findIndex(
    (member) => view.current === member.place || view.current?.startsWith(`${member.place}/`),
  )
  const seen = members.slice(0, Math.max(most, currentAt + 1))
  return (
    <>
      <UnstyledButton
        className={classes['branch']}
        aria-expanded={isOpen}
        onClick={() => view.opened.set(place, !isOpen)}
      >
        <Chevron size={12} aria-hidden />
        {name !== undefined && <Name text={name} searchFor={view.searchFor} />}
        <span className={classes['count']}>
          {isList ? t('parts.json.items', { count }) : t('parts.json.members', { count })}
        </span>
      </UnstyledButton>
      {isOpen && (
        <ul className={classes['list']}>
          {seen.map((member) => (
            <MemberItem key={member.place} {...member} {...view} />
          ))}
        </ul>
      )}
      {seen.length < members.length && (
        <UnstyledButton className={classes['more']} onClick={() => setMost(seen.length + membersAtOnce)}>
          {t('parts.json.showMore', { count: members.length - seen.length })}
        </UnstyledButton>
      )}
    </>
  )
}

function Name({ text, searchFor }: { text: string; searchFor: string }) {
  return (
    <span className={classes['name']}>
      <Marked text={text} searchFor={searchFor} />
      {': '}
    </span>
  )
}

/** The first place where the text holds what is searched for, marked. */
function Marked({ text, searchFor }: { text: string; searchFor: string }) {
  const at = searchFor === '' ? -1 : text.toLowerCase().indexOf(searchFor.toLowerCase())
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark className={classes['mark']}>{text.slice(at, at + searchFor.length)}</mark>
      {text.slice(at + searchFor.length)}
    </>
  )
}

/** A JSON value as a tree of named places; a place is its JSON Pointer. */

type Place = string

const rootPlace: Place = ''

function placeOf(parent: Place, name: string): Place {
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

type Member = { name: string; place: Place; value: unknown }

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function membersOf(value: object, place: Place): Member[] {
  return Object.entries(value).map(([name, member]: [string, unknown]) => ({
    name,
    place: placeOf(place, name),
    value: member,
  }))
}

function leafText(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** Beyond this a search says only that there are more. */
const matchesMax = 500
/** Values looked at in one search: a year of ARI has more than a browser should walk at every keystroke. */
const walkedMax = 400_000

/** Where a name or a value holds the text, whatever its case; in the order of the document. */
function placesWith(root: unknown, text: string): { places: Place[]; isAll: boolean } {
  const searchFor = text.toLowerCase()
  const places: Place[] = []
  const waiting: Member[] = [{ name: '', place: rootPlace, value: root }]
  let walked = 0
  for (let member = waiting.pop(); member; member = waiting.pop()) {
    if (places.length >= matchesMax || ++walked > walkedMax) return { places, isAll: false }
    const { name, place, value } = member
    const isFound =
      name.toLowerCase().includes(searchFor) ||
      (!isBranch(value) && leafText(value).toLowerCase().includes(searchFor))
    if (isFound) places.push(place)
    if (isBranch(value)) waiting.push(...membersOf(value, place).reverse())
  }
  return { places, isAll: true }
}

/** The branches that must be open for a place to be seen. */
function placesAbove(place: Place): Place[] {
  const parts = place.split('/')
  return parts.slice(0, -1).map((_, depth) => parts.slice(0, depth + 1).join('/'))
}

/** Branches of the first levels, so that a small body is read without a click. */
function openAtFirst(root: unknown, { depth, most }: { depth: number; most: number }): Set<Place> {
  const open = new Set<Place>()
  let level: Member[] = [{ name: '', place: rootPlace, value: root }]
  for (let deep = 0; deep < depth; deep++) {
    const next: Member[] = []
    for (const { value, place } of level) {
      if (!isBranch(value)) continue
      if (open.size >= most) return open
      open.add(place)
      next.push(...membersOf(value, place).slice(0, most))
    }
    level = next
  }
  return open
}
