import { instantOf, parseNight } from '../../base/calendar.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import type { OwnedKey } from '../../http/calls/call.ts'
import { answer, type Answered } from '../../http/calls/mount.ts'
import { Rejected, rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { Transaction } from '../../postgres/transaction.ts'
import { runIdempotentBooking, type BookNeeds, type Booked } from '../idempotency/idempotent-booking.ts'
import { roomNumbers, roomReservationIds } from '../price/matched-rooms.ts'
import { renderPenalty } from '../price/penalty.ts'
import {
  noShowWithinDays,
  reportErrors,
  reportsMax,
  type ReportKind,
  type reportRoutes,
} from '../report-contract.ts'
import type { StayReport } from '../state.ts'
import { lockReservation, type LockedHotel, type StoredReservation } from '../store.ts'
import { insertReport } from '../told-store.ts'
import { penaltyNow } from '../price/penalty-now.ts'
import { overlap, standingOfRoom, withoutLetGo } from '../stay-standing.ts'

/** What somebody reports; rooms by their ids. */
export type Reported = {
  roomReservationId: string | undefined
  report: ReportKind
  waivePenalty: boolean | undefined
  departureDate: string | undefined
  note: string | undefined
}

/** The members of a report as its sender names them, for paths of problems. */
export type ReportMembers = { roomReservationId: string; waivePenalty: string; departureDate: string }

export type Reporter =
  | { keyId: number }
  /** `audit` is committed together with the report. */
  | { operatorName: string; audit: (connection: Queryable) => Promise<void> }

export type StayReported = AnswerOf<typeof reportRoutes.reportStay>

type Report = {
  /** As sent. */
  reservationId: string
  find: () => Promise<StoredReservation>
  told: Reported
  members: ReportMembers
  by: Reporter
  idempotencyKey: OwnedKey | undefined
}

/** Keeps a report of a hotel. One that is so already is answered like the first time, and nothing changes. */
export function reportStay(
  needs: BookNeeds,
  { reservationId, find, told, members, by, idempotencyKey }: Report,
): Promise<Answered<StayReported>> {
  rejectIfAny(problemsOf(told, members))
  return runIdempotentBooking(
    needs,
    { idempotencyKey, route: 'reportStay', reservationId, body: told },
    {
      find,
      prepare: () => Promise.resolve(),
      open: (connection, { id }) => lockReservation(connection, id),
      work: (connection, { hotel, opened }) =>
        report(connection, { hotel, stored: opened, told, members, by }, needs.clock.now()),
    },
  )
}

function problemsOf({ report: kind, waivePenalty }: Reported, members: ReportMembers): Problem[] {
  if (waivePenalty === undefined || kind === 'no_show') return []
  return [{ ...reportErrors.waiveMisplaced, path: `/${members.waivePenalty}`, value: waivePenalty }]
}

async function report(
  connection: Transaction,
  {
    hotel,
    stored,
    told,
    members,
    by,
  }: { hotel: LockedHotel; stored: StoredReservation; told: Reported; members: ReportMembers; by: Reporter },
  nowMs: number,
): Promise<Booked<StayReported>> {
  const { departureDate = null, note = null, waivePenalty = false, report: kind } = told
  const arrival = parseNight(stored.content.checkin) ?? 0
  if (departureDate !== null && (parseNight(departureDate) ?? 0) < arrival)
    throw new Rejected(400, {
      ...reportErrors.departureTooEarly,
      path: `/${members.departureDate}`,
      value: departureDate,
    })
  const keyId = 'keyId' in by ? by.keyId : null
  const next: StayReport = {
    roomNumber: roomNumberOf(stored, told, members),
    report: kind,
    waivesPenalty: waivePenalty,
    departureDate,
    note,
    version: stored.version,
    atMs: nowMs + hotel.aheadMs,
    keyId,
  }
  const repeated = sameBefore(stored, next)
  if (repeated) return { answer: rendered(stored, repeated, told), queued: undefined, outcome: 'unchanged' }
  refuseUnlessFitting(stored, next, todayIn(hotel, nowMs))
  const operatorName = 'operatorName' in by ? by.operatorName : null
  if ('audit' in by) await by.audit(connection)
  connection.lastly((later) => insertReport(later, stored.id, { ...next, operatorName }))
  const reports = [...stored.reports, next]
  const content = withoutLetGo(stored.asTold ?? stored.content, { version: stored.version, reports })
  const after = { ...stored, content, reports }
  return { answer: rendered(after, next, told), queued: undefined, outcome: 'reported' }
}

/** What a room that went owes can be let go of; otherwise nobody was expected in it. */
function roomNumberOf(
  { id, content }: StoredReservation,
  { roomReservationId: sent, report: kind }: Reported,
  members: ReportMembers,
): number {
  if (sent === undefined) return 0
  const number = roomNumbers(content.rooms)[roomReservationIds(id, content.rooms).indexOf(sent)]
  if (number !== undefined) return number
  const gone = content.roomsGone?.find((room) => `${id}-${room.number}` === sent)
  if (gone && kind === 'waived') return gone.number
  throw new Rejected(404, {
    ...reportErrors.roomNotFound,
    path: `/${members.roomReservationId}`,
    value: reportedValue(sent),
  })
}

/** Reports of one subject replace each other. What was let go of may be asked for by a later no-show. */
const subjects: Readonly<Record<ReportKind, 'presence' | 'stay' | 'card'>> = {
  arrived: 'presence',
  no_show: 'presence',
  waived: 'presence',
  stay_changed: 'stay',
  card_invalid: 'card',
}

/** The same report, if none about the same has come since. */
function sameBefore({ reports, version }: StoredReservation, next: StayReport): StayReport | undefined {
  const last = reports.findLast(
    (one) => subjects[one.report] === subjects[next.report] && overlap(one.roomNumber, next.roomNumber),
  )
  if (!last || !isSame(last, next)) return undefined
  // A later version may owe what was not owed then.
  return next.report === 'waived' && version > last.version ? undefined : last
}

function isSame(one: StayReport, other: StayReport): boolean {
  return (
    one.roomNumber === other.roomNumber &&
    one.report === other.report &&
    one.waivesPenalty === other.waivesPenalty &&
    one.departureDate === other.departureDate &&
    one.note === other.note
  )
}

function refuseUnlessFitting(stored: StoredReservation, next: StayReport, today: number): void {
  const { content, status, reports } = stored
  const [arrival, departure] = [parseNight(content.checkin) ?? 0, parseNight(content.checkout) ?? 0]
  const { report: kind, roomNumber } = next
  const refuse = (error: keyof typeof reportErrors): never => {
    throw new Rejected(409, reportErrors[error])
  }
  if (status === 'Cancel' && kind !== 'waived' && kind !== 'card_invalid') refuse('cancelled')
  if (kind === 'arrived' && today < arrival) refuse('arrivalAhead')
  if (kind === 'no_show') {
    if (today <= arrival) refuse('noShowTooEarly')
    if (today > departure + noShowWithinDays) refuse('noShowTooLate')
    const isThere = roomNumbers(content.rooms).some(
      (number) => overlap(number, roomNumber) && standingOfRoom(reports, number).presence === 'arrived',
    )
    if (isThere) refuse('guestArrived')
  }
  if (reports.length >= reportsMax) refuse('tooMany')
}

function rendered(
  stored: StoredReservation,
  { report: kind, atMs }: StayReport,
  { roomReservationId }: Reported,
): Answered<StayReported> {
  const penalty = penaltyNow(stored)
  const due = renderPenalty(penalty, stored.content)
  return answer(200, {
    code: '200',
    message: 'Report stored',
    reservation_id: String(stored.id),
    ...(roomReservationId === undefined ? {} : { room_reservation_id: roomReservationId }),
    report: kind,
    at: instantOf(atMs),
    penalty: due && {
      amount: due.amount,
      currency: due.currency,
      ...(due.unknown ? { unknown: due.unknown } : {}),
    },
  })
}
