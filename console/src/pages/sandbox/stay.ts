import type { SandboxHotel } from '../../../../src/console/sandbox/contract.ts'

/** The form values of a test booking. */
export type Stay = {
  hotelId: number
  /** The index of the product in the hotel's list. */
  place: number
  checkin: string
  checkout: string
  adults: number
  children: string
}

const usualDaysAhead = 30
const usualNights = 2

/** The initial form values. */
export function stayAt({ hotelId, today }: SandboxHotel): Stay {
  const checkin = daysAfter(today, usualDaysAhead)
  return {
    hotelId,
    place: 0,
    checkin,
    checkout: daysAfter(checkin, usualNights),
    adults: 2,
    children: '',
  }
}

const dayMs = 86_400_000

function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

const ageMax = 17
const childrenMax = 10

/** Parses `5, 9` as ages; undefined if invalid. */
export function readAges(text: string): number[] | undefined {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  const ages = parts.map((part) => (/^\d{1,2}$/.test(part) ? Number(part) : ageMax + 1))
  return ages.every((age) => age <= ageMax) && ages.length <= childrenMax ? ages : undefined
}
