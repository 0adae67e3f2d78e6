import { Command, InvalidArgumentError, Option } from 'commander'
import { isoSeconds } from '../base/calendar.ts'
import { refuseUnknownSupplier } from '../keys/suppliers.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { deliveryStatuses, type DeliveryStatus } from '../bookings/delivery-contract.ts'
import { deliveryIdOf, parseDeliveryId } from '../bookings/outbox/delivery-queue.ts'
import {
  selectDeliveries,
  sendAgain,
  type DeliveryFilter,
  type ListedDelivery,
  type SentAgain,
} from '../deliveries/on-request/send-again.ts'
import { selectAttempts, type StoredAttempt } from '../deliveries/on-request/attempts.ts'
import { releaseDeliveries, selectDeliveryHold } from '../deliveries/queue/hold.ts'
import { instant, integerBetween } from './arguments.ts'
import { audited, withSession } from './session.ts'
import { printJson, printLine, printOutcome, printTable, remark } from './print.ts'

type Given = { json?: boolean }
type GivenFilter = {
  status?: DeliveryStatus
  supplier?: string
  hotel?: string
  since?: number
  until?: number
}

const listed = { min: 1, max: 10_000, usual: 50 }

export function deliveriesCommand(): Command {
  const deliveries = new Command('deliveries')
    .description('list, resend and resume the delivery of reservations to suppliers')
    .addHelpText(
      'after',
      `
Examples:
  ari deliveries list --status dead
  ari deliveries list --supplier "Sea View" --since 2027-03-01 --json
  ari deliveries show dlv_2f1c…                 every attempt, with what was answered
  ari deliveries again dlv_2f1c…                send it again
  ari deliveries again --status dead --supplier "Sea View" --since 2027-03-01 --until 2027-03-02`,
    )
  addList(deliveries)
  addShow(deliveries)
  addAgain(deliveries)
  addRelease(deliveries)
  return deliveries
}

function addList(deliveries: Command): void {
  withFilterOptions(deliveries.command('list').description('list deliveries, newest first'))
    .option('--limit <n>', `how many at most (default: ${listed.usual})`, integerBetween(listed))
    .option('--json', 'print JSON')
    .action((given: Given & GivenFilter & { limit?: number }) =>
      withSession(async ({ db }) => {
        const filter = await filterOf(db, given)
        const found = await selectDeliveries(db, filter, given.limit ?? listed.usual)
        const hold = await selectDeliveryHold(db)
        if (hold)
          remark(
            `Deliveries have been on hold since ${hold.since} (${hold.reason}); to resume them: ari deliveries release`,
          )
        if (given.json) return printJson(found.map(listedJson))
        if (found.length === 0)
          return printLine(isFilter(filter) ? 'No delivery matches' : 'No deliveries yet')
        printTable(
          ['DELIVERY', 'RESERVATION', 'SUPPLIER', 'HOTEL', 'STATUS', 'ATTEMPTS', 'LAST', 'QUEUED', 'NEXT'],
          found.map((one) => [
            deliveryIdOf(one.id),
            `${one.reservationId} v${one.version}`,
            one.supplier,
            one.hotelId,
            one.status,
            one.attempts,
            one.httpStatus ?? one.outcome,
            one.createdAt,
            nextOf(one),
          ]),
        )
      }),
    )
}

function addShow(deliveries: Command): void {
  deliveries
    .command('show')
    .description('show a delivery and its attempts')
    .argument('<deliveryId>', 'as in deliveries list', deliveryId)
    .option('--json', 'print JSON')
    .action((id: string, given: Given) =>
      withSession(async ({ db }) => {
        const [delivery] = await known(db, [id])
        const attempts = (await selectAttempts(db, [id])).map(shownAttempt)
        if (given.json) return printJson(attempts)
        if (delivery) printLine(sentenceOf(delivery))
        printTable(
          ['ATTEMPT', 'AT', 'CAUSE', 'OUTCOME', 'STATUS', 'MS', 'ANSWER'],
          attempts.map((one) => [
            one.attempt,
            one.at,
            one.trigger,
            one.outcome,
            one.httpStatus,
            one.durationMs,
            one.answer === null ? null : onOneLine(one.answer),
          ]),
        )
      }),
    )
}

/** As JSON has it. */
function shownAttempt(one: StoredAttempt) {
  const { attempt, atMs, trigger, messageId, outcome, httpStatus, durationMs, answer } = one
  return { attempt, at: isoSeconds(atMs), trigger, messageId, outcome, httpStatus, durationMs, answer }
}

function addAgain(deliveries: Command): void {
  const again = deliveries
    .command('again')
    .description('send deliveries again: the named ones, or all that match the options')
    .argument('[deliveryId...]', 'as in deliveries list', (text: string, before: string[] | undefined) => [
      ...(before ?? []),
      deliveryId(text),
    ])
  withFilterOptions(again)
    .option('--json', 'print JSON')
    .action((ids: string[], given: Given & GivenFilter) =>
      withSession(async ({ db, nowMs }) => {
        const filter = await filterOf(db, given)
        if (ids.length === 0 && !isFilter(filter))
          throw new Error('name the deliveries, or select them with an option such as --status dead')
        await known(db, ids)
        const selection = ids.length > 0 ? { ...filter, ids } : filter
        const sent = await audited(db, async (connection) => {
          const after = await sendAgain(connection, selection, nowMs)
          const subject = ids.length === 1 ? `delivery ${deliveryIdOf(ids[0] ?? '')}` : 'deliveries by filter'
          const before = { ...selection, ...(ids.length > 0 ? { ids: ids.map(deliveryIdOf) } : {}) }
          return { result: after, action: 'delivery.send-again', subject, before, after }
        })
        printOutcome(given, sent, sentenceAgain(sent))
      }),
    )
}

function addRelease(deliveries: Command): void {
  deliveries
    .command('release')
    .description('resume deliveries after a restore, which puts them all on hold')
    .option('--json', 'print JSON')
    .action((given: Given) =>
      withSession(async ({ db, nowMs }) => {
        const released = await audited(db, async (connection) => {
          const before = await releaseDeliveries(connection, nowMs)
          return { result: before, action: 'delivery.release', subject: 'deliveries', before }
        })
        const sentence = released
          ? `Deliveries have resumed; they were on hold since ${released.since} (${released.reason})`
          : 'Deliveries were not on hold'
        printOutcome(given, { released: released ?? null }, sentence)
      }),
    )
}

/** The deliveries with these ids, or an error that names the first missing one. */
async function known(db: Queryable, ids: readonly string[]): Promise<ListedDelivery[]> {
  const found = ids.length === 0 ? [] : await selectDeliveries(db, { ids }, ids.length)
  const missing = ids.find((id) => !found.some((one) => one.id === id))
  if (missing === undefined) return found
  throw new Error(`Delivery ${deliveryIdOf(missing)} not found (ari deliveries list prints them)`)
}

function nextOf({ status, dueAt }: ListedDelivery): string | null {
  return status === 'queued' ? (dueAt ?? 'hourly run') : null
}

function sentenceOf(delivery: ListedDelivery): string {
  const { reservationId, version, supplier, hotelId, status } = delivery
  const next = nextOf(delivery)
  return `Reservation ${reservationId} v${version} for ${supplier}, hotel ${hotelId}: ${status}${next === null ? '' : `, next attempt: ${next}`}`
}

function sentenceAgain({ again, repeated, nowhere }: SentAgain): string {
  const unsent = nowhere === 0 ? '' : `; not sent, because no URL is registered: ${nowhere}`
  if (again + repeated === 0) {
    if (nowhere > 0) return `Nothing is sent again: no URL is registered (reservations: ${nowhere})`
    return 'Nothing to send again: deliveries that are in progress, superseded or already queued again are left as they are'
  }
  const repeats = repeated === 0 ? '' : `, of which ${repeated} were delivered before`
  return `Reservations sent again: ${again + repeated}${repeats}${unsent}`
}

function withFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'only deliveries with this status').choices(deliveryStatuses))
    .option('--supplier <name>', 'only of this supplier')
    .option('--hotel <code>', "only of this hotel, by its supplier's own code")
    .option('--since <date>', 'queued at or after', instant)
    .option('--until <date>', 'queued before', instant)
}

async function filterOf(db: Queryable, given: GivenFilter): Promise<DeliveryFilter> {
  const { status, supplier, hotel: hotelCode, since: sinceMs, until: untilMs } = given
  if (supplier !== undefined) await refuseUnknownSupplier(db, supplier)
  return { status, supplier, hotelCode, sinceMs, untilMs }
}

function isFilter(filter: DeliveryFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

function deliveryId(text: string): string {
  const id = parseDeliveryId(text)
  if (id === undefined)
    throw new InvalidArgumentError('It must be a delivery id, as printed by deliveries list.')
  return id
}

function listedJson({ id, reservationId, ...one }: ListedDelivery): object {
  return { deliveryId: deliveryIdOf(id), reservationId: String(reservationId), ...one }
}

const answerCharactersMax = 60

function onOneLine(answer: string): string {
  const text = answer.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '?')
  return text.length > answerCharactersMax ? `${text.slice(0, answerCharactersMax)}…` : text
}
