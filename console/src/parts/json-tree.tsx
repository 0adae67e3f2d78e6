import { UnstyledButton } from '@mantine/core'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isBranch, leafText, membersOf, rootPlace, type Place } from './json-nodes.ts'
import classes from './json-view.module.css'

export type Opened = { has: (place: Place) => boolean; set: (place: Place, isOpen: boolean) => void }

type Shown = { opened: Opened; sought: string; current: Place | undefined }

/** Of a long list, so many at first and with each request for more: a million lines would stop the browser. */
const membersAtOnce = 100

export function JsonTree({ value, ...shown }: Shown & { value: unknown }) {
  return (
    <ul className={classes['list']}>
      <Member name={undefined} place={rootPlace} value={value} {...shown} />
    </ul>
  )
}

/** `name` is undefined for the whole, and a number's text for an element of a list. */
function Member({
  name,
  place,
  value,
  ...shown
}: Shown & { name: string | undefined; place: Place; value: unknown }) {
  const isCurrent = shown.current === place && shown.sought !== ''
  return (
    <li className={classes['member']} data-current={isCurrent ? true : undefined}>
      {isBranch(value) ? (
        <Branch name={name} place={place} value={value} {...shown} />
      ) : (
        <span className={classes['line']}>
          {name !== undefined && <Name text={name} sought={shown.sought} />}
          <span className={classes['leaf']} data-kind={value === null ? 'null' : typeof value}>
            <Marked text={leafText(value)} sought={shown.sought} />
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
  ...shown
}: Shown & { name: string | undefined; place: Place; value: object }) {
  const { t } = useTranslation()
  const [most, setMost] = useState(membersAtOnce)
  const isList = Array.isArray(value)
  const count = Object.keys(value).length
  const isOpen = shown.opened.has(place)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const members = isOpen ? membersOf(value, place) : []
  // What is searched for is shown however far down the list it is.
  const currentAt = members.findIndex(
    (member) => shown.current === member.place || shown.current?.startsWith(`${member.place}/`),
  )
  const seen = members.slice(0, Math.max(most, currentAt + 1))
  return (
    <>
      <UnstyledButton
        className={classes['branch']}
        aria-expanded={isOpen}
        onClick={() => shown.opened.set(place, !isOpen)}
      >
        <Chevron size={12} aria-hidden />
        {name !== undefined && <Name text={name} sought={shown.sought} />}
        <span className={classes['count']}>
          {isList ? t('parts.json.items', { count }) : t('parts.json.members', { count })}
        </span>
      </UnstyledButton>
      {isOpen && (
        <ul className={classes['list']}>
          {seen.map((member) => (
            <Member key={member.place} {...member} {...shown} />
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

function Name({ text, sought }: { text: string; sought: string }) {
  return (
    <span className={classes['name']}>
      <Marked text={text} sought={sought} />
      {': '}
    </span>
  )
}

/** The first place where the text holds what is searched for, marked. */
function Marked({ text, sought }: { text: string; sought: string }) {
  const at = sought === '' ? -1 : text.toLowerCase().indexOf(sought.toLowerCase())
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark className={classes['mark']}>{text.slice(at, at + sought.length)}</mark>
      {text.slice(at + sought.length)}
    </>
  )
}
