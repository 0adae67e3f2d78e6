import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { MentionedHotel } from '../../../../src/console-api/operators/contract.ts'
import type { AuditAction, AuditedChange } from '../../../../src/operators/contract.ts'
import type { AnswerTo } from '../../api.ts'
import { LinkTo } from '../../parts/link-to.tsx'
import { rangeText, timeText } from '../../parts/values/time.tsx'
import { access } from '../../text/en/access.ts'

/** A change with the names of what it mentions. */
export type NamedChange = AuditedChange & {
  hotel: MentionedHotel | undefined
  supplierId: number | undefined
}

export function namedChanges({ changes, hotels, keys }: AnswerTo<'listAudit'>): NamedChange[] {
  return changes.map((change) => {
    const number = (kind: string): number => Number(new RegExp(`^${kind} (\\d+) `).exec(change.subject)?.[1])
    return {
      ...change,
      hotel: hotels.find(({ hotelId }) => hotelId === number('hotel')),
      supplierId: keys.find(({ keyId }) => keyId === number('key'))?.supplierId,
    }
  })
}

/** Nothing that an operator or a supplier may type. */
const place = '\u0000'

/** Who is refused without being signed in. */
const nobody = 'nobody'

/** `admin stopped Double / BAR at Sea View, 12–14 Dec 2026: “Water damage”`, with a link to what was changed. */
export function Sentence({ change }: { change: NamedChange }) {
  const { t } = useTranslation()
  const { action, operator, personOf, subject } = change
  const key = keyOf(action)
  const text = key === undefined ? `${action} ${place}` : t(`access.audit.did.${key}`, valuesOf(t, change))
  const [before = '', after = ''] = text.split(place)
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      <strong>{operator === nobody ? t('access.audit.somebody') : operator}</strong>{' '}
      {personOf !== null && `${t('access.audit.of', { supplier: personOf })} `}
      {before}
      {text.includes(place) && <Subject change={change} subject={subject} />}
      {after}
    </span>
  )
}

/** `ari.stop-sell` as `ariStopSell`. */
type Joined<Action extends string> = Action extends `${infer Head}.${infer Tail}`
  ? `${Joined<Head>}${Capitalize<Joined<Tail>>}`
  : Action extends `${infer Head}-${infer Tail}`
    ? `${Joined<Head>}${Capitalize<Joined<Tail>>}`
    : Action

/** Each action has one. */
const sentences: Readonly<Record<Joined<AuditAction>, string>> = access.audit.did
type Did = keyof typeof sentences

/** Undefined for an action that an older version wrote. */
function keyOf(action: string): Did | undefined {
  const key = action.replaceAll(/[.-]([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return isDid(key) ? key : undefined
}

function isDid(key: string): key is Did {
  return Object.hasOwn(sentences, key)
}

const toldWhole: ReadonlySet<string> = new Set([
  'ari.stop-sell',
  'ari.open-again',
  'key.rotate',
  'hold.release',
  'hold.discard',
  'reservation.note',
  'work.note',
])

/** Whether the sentence says all that was changed. */
export function isToldWhole({ action }: AuditedChange): boolean {
  return toldWhole.has(action)
}

type Values = {
  object: string
  what: string
  dates: string
  reason: string
  until: string
  text: string
  note: string
}

function valuesOf(t: TFunction, { after, hotel }: NamedChange): Values {
  const member = (name: string): unknown => memberOf(after, name)
  const text = (name: string): string => {
    const value = member(name)
    return typeof value === 'string' ? value : ''
  }
  const reason = text('reason')
  const until = text('oldKeyUntil')
  return {
    object: place,
    what: targetsText(t, member('nights'), hotel),
    dates: datesText(member('nights')),
    reason: reason === '' ? '' : t('access.audit.reason', { reason }),
    until: until === '' ? '' : (timeText(until) ?? until),
    text: text('text'),
    note: text('note'),
  }
}

/** From the first to the last of the nights. */
function datesText(nights: unknown): string {
  if (!Array.isArray(nights)) return ''
  const dates = nights
    .flatMap((stretch: unknown) => [memberOf(stretch, 'startDate'), memberOf(stretch, 'endDate')])
    .filter((date) => typeof date === 'string')
    .toSorted()
  const [first, last] = [dates[0], dates.at(-1)]
  return first === undefined || last === undefined ? '' : rangeText(first, last)
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

const targetsNamed = 3

/** `Double / BAR, Double / NRF and 2 more`. */
function targetsText(t: TFunction, targets: unknown, hotel: MentionedHotel | undefined): string {
  if (!Array.isArray(targets)) return ''
  const nameOf = (named: readonly { code: string; name: string }[] | undefined, code: unknown): string =>
    named?.find((one) => one.code === code)?.name ?? String(code)
  // A room or rate is named once, however many stretches of its nights there are.
  const texts = [
    ...new Set(
      targets.map((target: unknown) => {
        const room = nameOf(hotel?.rooms, memberOf(target, 'roomId'))
        const rateId = memberOf(target, 'rateId')
        return rateId === undefined
          ? t('access.audit.wholeRoom', { room })
          : `${room} / ${nameOf(hotel?.rates, rateId)}`
      }),
    ),
  ]
  const more = texts.length - targetsNamed
  const named = texts.slice(0, targetsNamed).join(', ')
  return more > 0 ? t('access.audit.andMore', { named, count: more }) : named
}

/** What was changed, as a link to its page where it has one. */
function Subject({ change: { hotel, supplierId }, subject }: { change: NamedChange; subject: string }) {
  const { t } = useTranslation()
  const [, kind, id = '', rest = ''] =
    /^(hotel|supplier|key|reservation|alert|operator) (\d+)(.*)$/s.exec(subject) ?? []
  if (kind === undefined) return subject
  switch (kind) {
    case 'hotel':
      return (
        <LinkTo underline="always" to="/hotels/$hotelId" params={{ hotelId: id }}>
          {hotel?.name ?? quoted(rest)}
        </LinkTo>
      )
    case 'supplier':
      return (
        <LinkTo underline="always" to="/suppliers/$supplierId" params={{ supplierId: id }}>
          {quoted(rest)}
        </LinkTo>
      )
    case 'reservation':
      return (
        <LinkTo underline="always" to="/reservations/$reservationId" params={{ reservationId: id }}>
          {`reservation ${id}`}
        </LinkTo>
      )
    case 'key':
      return <KeyLink supplierId={supplierId}>{`key ${id} of ${quoted(rest)}`}</KeyLink>
    case 'alert':
      return <KeyLink supplierId={Number(/ of supplier (\d+)$/.exec(rest)?.[1])}>{`alert ${id}`}</KeyLink>
    case 'operator':
      return t('access.audit.account', { name: quoted(rest) })
    default:
      return subject
  }
}

function KeyLink({ supplierId, children }: { supplierId: number | undefined; children: ReactNode }) {
  if (supplierId === undefined || Number.isNaN(supplierId)) return children
  return (
    <LinkTo underline="always" to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }}>
      {children}
    </LinkTo>
  )
}

/** The name in ` "Sea View"`, or the whole text. */
function quoted(rest: string): string {
  return /"(.*)"$/s.exec(rest)?.[1]?.replaceAll('\\"', '"') ?? rest.trim()
}
