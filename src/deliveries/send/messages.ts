import { createHash } from 'node:crypto'
import { withoutCardNumbers } from '../../base/card-number.ts'
import { answerNotStored, repeatsCard, textOf } from '../../outbound/repeated-cards.ts'
import { withPlainDigits } from '../../base/written-characters.ts'
import { numberArray, hideFromPlanner, type Queryable } from '../../postgres/postgres.ts'
import { selectCards, type StoredCard } from '../../cards/store.ts'
import { deliveryIdOf } from '../../bookings/outbox/delivery-queue.ts'
import type { Claimed, DeliveryGroup } from '../queue/store.ts'
import type { ReservationContent, ReservationVersion, StayReport } from '../../bookings/state.ts'
import { supplierBody } from './reservation-body.ts'
import type { Delivered } from './said-confirmations.ts'
import type { CardVault } from '../../cards/card-vault.ts'
import type { Card } from '../../cards/vault.ts'

/** The content of one call: one delivery, or in the hourly run several of a hotel. */
export type Message = {
  /** The webhook-id: derived from the body, so that equal ids mean equal bodies. */
  id: string
  body: Buffer
  /** The cards in the body. */
  cards: readonly Card[]
  claimed: DeliveryGroup
  /** The reservations of the body. */
  delivered: Delivered
}

type Row = {
  reservationId: number
  version: number
  createdAtMs: number
  modifiedAtMs: number
  content: ReservationContent
  /** Whether the account's contract says so now. */
  deliversCards: boolean
  card: StoredCard | undefined
}

/** A group without a body, for example because the vault's key does not open a card. */
export type Unreadable = { claimed: DeliveryGroup; error: unknown }

/** The bodies of deliveries, one per group, read in one query. */
export async function messagesOf(
  db: Queryable,
  groups: readonly DeliveryGroup[],
  { vault, nowMs }: { vault: CardVault; nowMs: number },
): Promise<{ messages: Message[]; unreadable: Unreadable[] }> {
  const all = groups.flat()
  const ids = all.map(({ reservationId }) => reservationId)
  const [versions, cards] = await Promise.all([selectRows(db, all), selectCards(db, ids, nowMs)])
  const rows = versions.map((row): Row => ({ ...row, card: cards.get(row.reservationId) }))
  const rowByKey = new Map(rows.map((row) => [keyOf(row), row]))
  const messages: Message[] = []
  const unreadable: Unreadable[] = []
  for (const claimed of groups) {
    try {
      messages.push(messageOf(claimed, rowByKey, vault))
    } catch (error) {
      unreadable.push({ claimed, error })
    }
  }
  return { messages, unreadable }
}

function messageOf(claimed: DeliveryGroup, rowByKey: ReadonlyMap<string, Row>, vault: CardVault): Message {
  const cardById = new Map<string, Card>()
  const version = (delivery: Claimed): ReservationVersion => {
    const row = rowByKey.get(keyOf(delivery))
    if (!row) throw new Error(`reservation ${delivery.reservationId} has no version ${delivery.version}`)
    const id = String(row.reservationId)
    const mayCarry = row.deliversCards && !delivery.isRepeat && delivery.reservationStatus !== 'Cancel'
    // A card that arrived after this version was claimed is sent with its own version.
    const isOfVersion = row.card !== undefined && row.card.sinceVersion <= row.version
    const card = mayCarry && row.card && isOfVersion ? vault.open(id, row.card) : undefined
    if (card) cardById.set(id, card)
    const { createdAtMs, modifiedAtMs, content } = row
    const { hotelId, reservationStatus: status } = delivery
    // As it was when it was made, so that a retry is the same, byte by byte: what the hotel said since is its own.
    const reports: readonly StayReport[] = []
    return { id, hotelId, version: row.version, status, createdAtMs, modifiedAtMs, content, reports }
  }
  const [first, ...others] = claimed
  const versions = [version(first), ...others.map(version)] as const
  const body = supplierBody(versions, (id) => cardById.get(id))
  return {
    id: messageId(claimed),
    body: Buffer.from(JSON.stringify(body)),
    cards: [...cardById.values()],
    claimed,
    delivered: new Map(versions.map(({ id, content }) => [Number(id), content])),
  }
}

async function selectRows(db: Queryable, deliveries: readonly Claimed[]): Promise<Omit<Row, 'card'>[]> {
  const { rows } = await db.query<Omit<Row, 'card'>>({
    name: 'select-delivery-content',
    text: `
      select version.reservation_id as "reservationId", version.version, version.content,
        epoch_ms(reservation.created_at) as "createdAtMs",
        epoch_ms(version.at) as "modifiedAtMs",
        supplier.delivers_cards as "deliversCards"
      from unnest(${hideFromPlanner('$1::int8[]')}, $2::int[]) as wanted (reservation_id, version)
        join reservation_version as version using (reservation_id, version)
        join reservation on reservation.id = version.reservation_id
        join supplier on supplier.id = reservation.supplier_id`,
    values: [
      numberArray(deliveries.map(({ reservationId }) => reservationId)),
      numberArray(deliveries.map(({ version }) => version)),
    ],
  })
  return rows
}

function keyOf({ reservationId, version }: { reservationId: number; version: number }): string {
  return `${reservationId} ${version}`
}

const groupIdCharacters = 32

/**
 * A message of several deliveries derives its id from theirs: the same deliveries in one body again have the
 * same id.
 */
function messageId(claimed: DeliveryGroup): string {
  const [only, ...others] = claimed
  if (others.length === 0) return deliveryIdOf(only.id)
  const ids = claimed.map(({ id }) => id).join()
  return `dlb_${createHash('sha256').update(ids).digest('hex').slice(0, groupIdCharacters)}`
}

const answerBytesStored = 2_048
/** Read beyond the stored length, so that truncation never splits a card number or a name and hides it. */
const answerBytesRead = 4_096

/**
 * The beginning of the supplier's answer. It may echo a card from this or an earlier delivery: card data is removed,
 * and where it is encoded, or its digits are scattered, nothing is stored.
 */
export function storableAnswer(answer: Buffer, cards: readonly Card[]): string {
  const text = textOf(answer.subarray(0, answerBytesRead))
  const plain = cards.length > 0 ? withoutNamesAndNumbers(text, cards) : withoutCardNumbers(text)
  if (repeatsCard(plain, cards)) return answerNotStored
  const cut = Buffer.from(cards.length > 0 ? withoutCodes(plain, cards) : plain)
  return cut.subarray(0, answerBytesStored).toString().toWellFormed().replaceAll('\u0000', '\uFFFD')
}

const gone = '***'

function withoutNamesAndNumbers(text: string, cards: readonly Card[]): string {
  const names = cards.flatMap(({ holderName }) => waysToWrite(holderName)).map((name) => RegExp.escape(name))
  const numbers = cards.map(({ number }) => [...number].join(String.raw`[\s.-]?`))
  return withPlainDigits(text).replaceAll(new RegExp([...names, ...numbers].join('|'), 'giu'), gone)
}

/** Without what may be a part of a card, and without its CVV, also with signs between, or in base64. */
function withoutCodes(text: string, cards: readonly Card[]): string {
  const codes = cards.flatMap(({ cvv }) => {
    if (cvv === undefined) return []
    const apart = [...cvv].join(String.raw`[^\p{L}\p{N}]{0,20}`)
    return [
      String.raw`(?<!\p{N})${apart}(?!\p{N})`,
      String.raw`(?<![\w+/-])${btoa(cvv).replaceAll('=', '')}(?![\w+/-])`,
    ]
  })
  const masked = codes.length > 0 ? text.replaceAll(new RegExp(codes.join('|'), 'gu'), gone) : text
  return masked.replaceAll(/\d(?:[\s.-]?\d){2,}/g, gone)
}

/** As is, in JSON, in ASCII-only JSON, and in a URL. */
function waysToWrite(name: string): string[] {
  const quoted = JSON.stringify(name).slice(1, -1)
  const inAscii = quoted.replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const inUrl = encodeURIComponent(name.toWellFormed())
  return [name, quoted, inAscii, inUrl, inUrl.replaceAll('%20', '+')]
}
