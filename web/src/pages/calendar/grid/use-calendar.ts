import {
  keepPreviousData,
  type QueryClient,
  useQueries,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import type {
  Calendar,
  CalendarOfHotels,
  StopSellAnswer,
} from '../../../../../src/console-api/calendar/contract.ts'
import type {
  ExplainedHotel,
  ExplainedStay,
} from '../../../../../src/console-api/calendar/explain-contract.ts'
import { call, type ApiError, type ChangeInput } from '../../../api.ts'

const refreshMs = 15_000

/** The calendar of a hotel for a party; an unchanged one is not sent again. */
export function useCalendar(
  hotelId: number,
  party: { adults: string; childAges: string },
): UseQueryResult<Calendar, ApiError> {
  const queries = useQueryClient()
  return useQuery<Calendar, ApiError>({
    ...calendarQuery(queries, hotelId, party),
    // For another party, but never for another hotel.
    placeholderData: (before, query) => (query?.queryKey[1] === hotelId ? before : undefined),
  })
}

type AskedParty = { adults: string; childAges: string }

/** The calendars of the hotels that are unfolded among several, with the same nights. */
export function useCalendars(
  hotelIds: readonly number[],
  party: AskedParty,
  window: { from: string; to: string } | undefined,
): readonly (Calendar | undefined)[] {
  const queries = useQueryClient()
  return useQueries({
    queries: window === undefined ? [] : hotelIds.map((id) => calendarQuery(queries, id, party, window)),
    combine: calendarsOf,
  })
}

const calendarsOf = (found: readonly UseQueryResult<Calendar>[]): (Calendar | undefined)[] =>
  found.map(({ data }) => data)

function calendarQuery(
  queries: QueryClient,
  hotelId: number,
  party: AskedParty,
  window: { from?: string; to?: string } = {},
) {
  const queryKey = ['getCalendar', hotelId, party.adults, party.childAges, window.from, window.to]
  const read = (since: string | undefined, signal: AbortSignal) =>
    call('getCalendar', { params: { hotelId }, query: { ...party, ...window, since } }, signal)
  return refreshed<Calendar>(queries, queryKey, read)
}

/** Several hotels, each in one line; of the page that the cursor begins. */
export function useHotelLines(
  query: AskedParty & { supplierId: string; search: string; hotelIds: string; cursor: string },
): UseQueryResult<CalendarOfHotels, ApiError> {
  const queries = useQueryClient()
  const read = (since: string | undefined, signal: AbortSignal) =>
    call('listCalendars', { query: { ...query, since } }, signal)
  return useQuery<CalendarOfHotels, ApiError>({
    ...refreshed<CalendarOfHotels>(queries, ['listCalendars', query], read),
    placeholderData: keepPreviousData,
  })
}

type Unchanged = { isUnchanged: true }

/** Read again and again; the answer says if the one at hand still holds. */
function refreshed<Answer extends { isUnchanged: false; version: string }>(
  queries: QueryClient,
  queryKey: readonly unknown[],
  read: (since: string | undefined, signal: AbortSignal) => Promise<Answer | Unchanged>,
) {
  return {
    queryKey,
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Answer> => {
      const cached = queries.getQueryData<Answer>(queryKey)
      const answer = await read(cached?.version, signal)
      if (!answer.isUnchanged) return answer
      if (cached) return cached
      const whole = await read(undefined, signal)
      if (whole.isUnchanged) throw new Error('an unchanged calendar must have been read before')
      return whole
    },
    refetchInterval: refreshMs,
    // Comparing a large calendar with the previous one would take longer than rendering it.
    structuralSharing: false,
  }
}

/** Reads with a body: they change nothing, and are cached like other reads. */
export function useExplained(
  input: ChangeInput<'explainStay'> | undefined,
): UseQueryResult<ExplainedStay, ApiError> {
  return useQuery<ExplainedStay, ApiError>({
    queryKey: ['explainStay', input],
    queryFn: ({ signal }) => {
      if (!input) throw new Error('no stay to explain')
      return call('explainStay', input, signal)
    },
    enabled: input !== undefined,
  })
}

export function useExplainedHotel(
  input: ChangeInput<'explainHotel'> | undefined,
): UseQueryResult<ExplainedHotel, ApiError> {
  return useQuery<ExplainedHotel, ApiError>({
    queryKey: ['explainHotel', input],
    queryFn: ({ signal }) => {
      if (!input) throw new Error('no stay to explain')
      return call('explainHotel', input, signal)
    },
    enabled: input !== undefined,
    placeholderData: keepPreviousData,
  })
}

export function useStopSellPreview(
  input: ChangeInput<'stopSell'> | undefined,
): UseQueryResult<StopSellAnswer, ApiError> {
  return useQuery<StopSellAnswer, ApiError>({
    queryKey: ['stopSellPreview', input],
    queryFn: ({ signal }) => {
      if (!input) throw new Error('nothing to preview')
      return call('stopSell', { ...input, body: { ...input.body, preview: true } }, signal)
    },
    enabled: input !== undefined,
    retry: false,
    gcTime: 0,
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}
