import { Command, InvalidArgumentError, Option } from 'commander'
import { refuseUnknownSupplier } from '../keys/suppliers.ts'
import type { Queryable } from '../platform/postgres.ts'
import { deliveryIdOf, parseDeliveryId } from '../reservations/delivery-queue.ts'
import {
  deliveryStatuses,
  selectAttempts,
  selectDeliveries,
  sendAgain,
  type DeliveryFilter,
  type DeliveryStatus,
  type ListedDelivery,
} from '../reservations/send-again.ts'
import { instant, integerBetween } from './arguments.ts'
import { printJson, printOutcome, printTable } from './print.ts'
import { withSession } from './session.ts'

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
    .description('reservations on their way to suppliers')
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
  return deliveries
}

function addList(deliveries: Command): void {
  withFilterOptions(deliveries.command('list').description('deliveries, newest first'))
    .option('--limit <n>', `how many at most (default: ${listed.usual})`, integerBetween(listed))
    .option('--json', 'print JSON')
    .action((given: Given & GivenFilter & { limit?: number }) =>
      withSession(async ({ db }) => {
        const found = await selectDeliveries(db, await filterOf(db, given), given.limit ?? listed.usual)
        if (given.json) return printJson(found.map(shown))
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
            one.status === 'queued' ? (one.dueAt ?? 'hourly run') : null,
          ]),
        )
      }),
    )
}

function addShow(deliveries: Command): void {
  deliveries
    .command('show')
    .description('the attempts of a delivery')
    .argument('<deliveryId>', 'as in deliveries list', deliveryId)
    .option('--json', 'print JSON')
    .action((id: string, given: Given) =>
      withSession(async ({ db }) => {
        const attempts = await selectAttempts(db, id)
        if (given.json) return printJson(attempts)
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

function addAgain(deliveries: Command): void {
  const again = deliveries
    .command('again')
    .description('send deliveries again: those named, or all that the options say')
    .argument('[deliveryId...]', 'as in deliveries list', (text: string, before: string[] | undefined) => [
      ...(before ?? []),
      deliveryId(text),
    ])
  withFilterOptions(again)
    .option('--json', 'print JSON')
    .action((ids: string[], given: Given & GivenFilter) =>
      withSession(async ({ db, nowMs }) => {
        const filter = await filterOf(db, given)
        const isFiltered = Object.values(filter).some((value) => value !== undefined)
        if (ids.length === 0 && !isFiltered) throw new Error('name deliveries, or say which: --status dead')
        const meant = ids.length > 0 ? { ...filter, ids } : filter
        const { again: count, repeated } = await sendAgain(db, meant, nowMs)
        const sentence = `${count} undelivered and ${repeated} delivered are sent again`
        printOutcome(given, { again: count, repeated }, sentence)
      }),
    )
}

function withFilterOptions(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'only those').choices(deliveryStatuses))
    .option('--supplier <name>', 'only of this supplier')
    .option('--hotel <code>', "only of the hotel with this code of its supplier's")
    .option('--since <date>', 'queued at or after', instant)
    .option('--until <date>', 'queued before', instant)
}

async function filterOf(db: Queryable, given: GivenFilter): Promise<DeliveryFilter> {
  const { status, supplier, hotel: hotelCode, since: sinceMs, until: untilMs } = given
  if (supplier !== undefined) await refuseUnknownSupplier(db, supplier)
  return { status, supplier, hotelCode, sinceMs, untilMs }
}

function deliveryId(text: string): string {
  const id = parseDeliveryId(text)
  if (id === undefined) throw new InvalidArgumentError('It must be a delivery as in deliveries list.')
  return id
}

function shown({ id, reservationId, ...one }: ListedDelivery): object {
  return { deliveryId: deliveryIdOf(id), reservationId: String(reservationId), ...one }
}

const answerShownMax = 60

function onOneLine(answer: string): string {
  const text = answer.replaceAll(/\s+/g, ' ').replaceAll(/\p{C}/gu, '?')
  return text.length > answerShownMax ? `${text.slice(0, answerShownMax)}…` : text
}
