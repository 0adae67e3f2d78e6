import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import type { Calendar, ExplainedStay, StopSellAnswer } from '../../../../src/console/calendar/contract.ts'
import { call, type ApiError, type ChangeInput } from '../../api.ts'

const refreshMs = 15_000

/** The calendar of a hotel for a party; an unchanged one is not sent again. */
export function useCalendar(
  hotelId: number,
  party: { adults: string; childAges: string },
): UseQueryResult<Calendar, ApiError> {
  const queries = useQueryClient()
  const queryKey = ['getCalendar', hotelId, party.adults, party.childAges]
  return useQuery<Calendar, ApiError>({
    queryKey,
    queryFn: async ({ signal }) => {
      const cached = queries.getQueryData<Calendar>(queryKey)
      const read = (since: string | undefined) =>
        call('getCalendar', { params: { hotelId }, query: { ...party, since } }, signal)
      const answer = await read(cached?.version)
      if (!answer.isUnchanged) return answer
      if (cached) return cached
      const whole = await read(undefined)
      if (whole.isUnchanged) throw new Error('an unchanged calendar must have been read before')
      return whole
    },
    refetchInterval: refreshMs,
    // For another party, but never for another hotel.
    placeholderData: (before, query) => (query?.queryKey[1] === hotelId ? before : undefined),
    // Comparing a large calendar with the previous one would take longer than rendering it.
    structuralSharing: false,
  })
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
