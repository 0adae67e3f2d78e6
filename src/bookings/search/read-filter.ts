import { parseNight } from '../../base/calendar.ts'
import { readSince, readUntil, type Query } from '../../http/calls/query.ts'
import { Rejected, rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { selectOptionalSupplierId } from '../../keys/suppliers.ts'
import { referenceNotFound, type HotelFinder } from '../../offers/stay-request.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { reservationErrors } from '../errors-contract.ts'
import { presentDeliveryStatuses } from '../delivery-contract.ts'
import { reservationStatuses } from '../../webhooks/contract.ts'
import type { ReservationFilter } from './reservation-filter.ts'

export type SearchNeeds = Needs & { hotelsNamed: HotelFinder }

/** Reads the filters of a query; refuses it if there are problems, and what it names if there is no such thing. */
export async function readFilter(
  needs: SearchNeeds,
  query: Query,
  problems: Problem[],
): Promise<ReservationFilter> {
  const arrival = readDates('arrival', query, problems)
  const departure = readDates('departure', query, problems)
  const createdFromMs = readSince('createdFrom', query['createdFrom'], problems)
  const createdUntilMs = readUntil('createdTo', query['createdTo'], problems)
  if (createdFromMs !== undefined && createdUntilMs !== undefined && createdUntilMs <= createdFromMs)
    problems.push(emptyRange('created'))
  const modifiedFromMs = readSince('modifiedFrom', query['modifiedFrom'], problems)
  const hotel = hotelIn(query, problems)
  rejectIfAny(problems)
  const [hotelId] = hotel ? await needs.hotelsNamed([hotel]) : []
  if (hotel && (hotelId === undefined || !(await isHotel(needs, hotelId))))
    throw referenceNotFound(hotel, '?hotel')
  const supplierId = hotel ? undefined : await supplierIn(needs, query['supplier'])
  return {
    supplierId,
    hotelId,
    status: reservationStatuses.find((status) => status === query['status']),
    arrivalFrom: arrival.from,
    arrivalTo: arrival.to,
    departureFrom: departure.from,
    departureTo: departure.to,
    createdFromMs,
    createdUntilMs,
    modifiedFromMs,
    delivery: presentDeliveryStatuses.find((status) => status === query['delivery']),
    email: query['email'],
    clientReference: query['clientReference'],
    channel: query['channel'],
  }
}

function hotelIn({ hotel, supplier, hotelId }: Query, problems: Problem[]) {
  if (hotel === undefined && hotelId === undefined) return undefined
  if (hotel !== undefined && supplier === undefined && hotelId === undefined)
    return { platformHotelId: hotel }
  if (hotel === undefined && supplier !== undefined && hotelId !== undefined) return { supplier, hotelId }
  problems.push({
    type: 'HOTEL_REFERENCE_REQUIRED',
    message: 'Identify a hotel by hotel, or by supplier and hotelId',
    path: '?hotel',
    hint: 'Send hotel (platformHotelId) alone, or supplier together with hotelId; supplier alone lists all of its hotels',
  })
  return undefined
}

/** The supplier named in the query, when no hotel is given. */
async function supplierIn({ db }: Needs, name: string | undefined): Promise<number | undefined> {
  if (name === undefined) return undefined
  const supplierId = await selectOptionalSupplierId(db, name)
  if (supplierId === undefined)
    throw new Rejected(404, {
      ...reservationErrors.supplierNotFound,
      path: '?supplier',
      value: reportedValue(name),
    })
  return supplierId
}

/** A platformHotelId is recognized by its form alone. */
async function isHotel({ db }: Needs, hotelId: number): Promise<boolean> {
  const { rowCount } = await db.query('select from hotel where id = $1', [hotelId])
  return rowCount === 1
}

type Dates = { from: string | undefined; to: string | undefined }

/** Two dates of the hotel's calendar, both included. */
function readDates(name: 'arrival' | 'departure', query: Query, problems: Problem[]): Dates {
  const from = readDate(`${name}From`, query[`${name}From`], problems)
  const to = readDate(`${name}To`, query[`${name}To`], problems)
  if (from !== undefined && to !== undefined && to < from) problems.push(emptyRange(name))
  return { from, to }
}

function emptyRange(name: string): Problem {
  return {
    type: 'EMPTY_RANGE',
    message: `${name}From must not be after ${name}To`,
    path: `?${name}From`,
  }
}

function readDate(name: string, text: string | undefined, problems: Problem[]): string | undefined {
  if (text === undefined || parseNight(text) !== undefined) return text
  problems.push({
    type: 'INVALID_DATE',
    message: `${name} must be a date in the form YYYY-MM-DD`,
    path: `?${name}`,
    value: reportedValue(text),
    hint: 'For example 2027-04-15',
  })
  return undefined
}
