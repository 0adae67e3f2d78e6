import { monthOf, dayIn } from '../../base/calendar.ts'
import { answer, on } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { AnswerOf } from '../../http/route.ts'
import { readReservationId } from '../../bookings/find-reservation.ts'
import { searchWordsMax } from '../hotels/contract.ts'
import { selectHotels, selectNamedHotels, selectSearchWords } from '../hotels/store.ts'
import { foundMax, searchRoutes, type SearchResult } from './contract.ts'
import { selectGuestWords } from '../bookings/store.ts'
import {
  selectFoundGuests,
  selectFoundPushes,
  selectFoundReservation,
  selectFoundSuppliers,
} from './store.ts'

/** GET /search: the search box of every page. */
export const search = (needs: Needs) =>
  on(searchRoutes.search, async ({ query }) => {
    const typed = query.text.trim()
    // Matches by id come before matches by name.
    const found = (
      await Promise.all([
        findReservation(needs, typed),
        findPushes(needs, typed),
        findHotels(needs, typed),
        findSuppliers(needs, typed),
        findGuests(needs, typed),
      ])
    ).flat()
    const body: AnswerOf<typeof searchRoutes.search> = { found }
    return answer(200, body)
  })

async function findReservation({ db }: Needs, typed: string): Promise<SearchResult[]> {
  const reservationId = readReservationId(typed)
  return reservationId === undefined ? [] : selectFoundReservation(db, reservationId)
}

/** Shorter beginnings match too many names. */
const guestLettersMin = 3

async function findGuests({ db }: Needs, typed: string): Promise<SearchResult[]> {
  const words = await selectGuestWords(db, typed)
  if (!words.some(({ length }) => length >= guestLettersMin)) return []
  return selectFoundGuests(db, words, foundMax)
}

/** Shorter text is not taken for the beginning of a request id. */
const requestIdBeginning = /^[A-Za-z0-9._-]{8,64}$/

async function findPushes({ db }: Needs, typed: string): Promise<SearchResult[]> {
  return requestIdBeginning.test(typed) ? selectFoundPushes(db, typed, foundMax) : []
}

async function findHotels({ db, clock }: Needs, typed: string): Promise<SearchResult[]> {
  const [hotelIds, allWords] = await Promise.all([selectNamedHotels(db, typed), selectSearchWords(db, typed)])
  const words = allWords.slice(0, searchWordsMax)
  const nowMs = clock.now()
  const asked = {
    order: 'name' as const,
    after: undefined,
    limit: foundMax,
    nowMs,
    thisMonth: monthOf(dayIn('UTC', nowMs)),
  }
  const [named, called] = await Promise.all([
    hotelIds.length === 0
      ? []
      : selectHotels(db, { ...asked, search: {}, exact: { hotelIds, isOnly: true } }),
    words.length === 0
      ? []
      : selectHotels(db, { ...asked, search: { words }, exact: { hotelIds, isOnly: false } }),
  ])
  return [...named, ...called].slice(0, foundMax).map(({ hotelId, name, code, city, supplier }) => ({
    kind: 'hotel',
    hotelId,
    name,
    code,
    city,
    supplier,
  }))
}

function findSuppliers({ db }: Needs, typed: string): Promise<SearchResult[]> {
  return selectFoundSuppliers(db, typed, foundMax)
}
