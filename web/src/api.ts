import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useState } from 'react'
import { consolePath } from './address.ts'
import { paths } from 'virtual:console-paths'
import type { consoleRoutes } from '../../src/console-api/contract.ts'
import type { AnswerOf, BodyOf, ParamsOf, QueryOf } from '../../src/http/route.ts'

/** The console's API, typed by its contract, of which only methods and paths are in the bundle. */

type Routes = typeof consoleRoutes
export type RouteName = keyof Routes
export type AnswerTo<Name extends RouteName> = AnswerOf<Routes[Name]>

type ParamsPart<R> = R extends { params: object; method: 'GET' | 'POST' | 'PUT' | 'DELETE' }
  ? { params: { [Param in keyof ParamsOf<R & Routes[RouteName]>]: string | number } }
  : { params?: undefined }
type QueryPart<R> = R extends { query: object }
  ? { query?: { [Param in keyof QueryOf<R & Routes[RouteName]>]?: string | undefined } }
  : { query?: undefined }
type BodyPart<R> = R extends { body: object } ? { body: BodyOf<R & Routes[RouteName]> } : { body?: undefined }

/** The input of a read. Undefined or empty query parameters are not sent. */
export type ReadInput<Name extends RouteName> = ParamsPart<Routes[Name]> & QueryPart<Routes[Name]>
export type ChangeInput<Name extends RouteName> = ReadInput<Name> & BodyPart<Routes[Name]>

type Sent = {
  params?: Readonly<Record<string, string | number>> | undefined
  query?: Readonly<Record<string, string | undefined>> | undefined
  body?: unknown
}

type ApiProblem = { type: string; message: string; path?: string; hint?: string }

/** An error answer of the service; status 0 if it could not be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly requestId: string | undefined
  readonly problems: readonly ApiProblem[]

  constructor(status: number, message: string, requestId?: string, problems: readonly ApiProblem[] = []) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.requestId = requestId
    this.problems = problems
  }

  /** Whether the same request may succeed a moment later. */
  get mayPass(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** One call; throws ApiError. */
export async function call<Name extends RouteName>(
  name: Name,
  input: ChangeInput<Name>,
  signal?: AbortSignal,
): Promise<AnswerTo<Name>> {
  const { method, url, init } = requestOf(name, input)
  const response = await fetch(url, { method, ...init, signal: signal ?? null }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw new ApiError(0, '')
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw apiError(response, answer)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: the service answers according to the same contract.
  return answer as AnswerTo<Name>
}

/** The URL of a route, for a link or an event stream. */
export function urlOf<Name extends RouteName>(name: Name, input: ReadInput<Name>): string {
  return requestOf(name, input).url
}

function requestOf(name: RouteName, { params = {}, query = {}, body }: Sent) {
  const found = paths[name]
  if (!found) throw new Error(`No route ${name}`)
  const [method, path] = found
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) =>
    encodeURIComponent(String(params[param] ?? '')),
  )
  const sent = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  )
  const search = sent.length > 0 ? `?${new URLSearchParams(sent).toString()}` : ''
  const headers = {
    accept: 'application/json',
    ...(method === 'GET' ? {} : csrfHeaders()),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const init = { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  return { method, url: `${consolePath}/api${filled}${search}`, init }
}

function apiError(response: Response, answer: unknown): ApiError {
  const requestId = response.headers.get('x-request-id') ?? undefined
  const { message, errors } = isErrorAnswer(answer) ? answer : { message: response.statusText, errors: [] }
  return new ApiError(response.status, message, requestId, errors)
}

function isErrorAnswer(answer: unknown): answer is { message: string; errors: ApiProblem[] } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'message' in answer &&
    typeof answer.message === 'string' &&
    'errors' in answer &&
    Array.isArray(answer.errors)
  )
}

type ReadOptions = {
  /** Nothing is requested while this is false. */
  enabled?: boolean
  /** How often to refetch while the page is visible. */
  everyMs?: number
  /** Keeps the previous answer until the next one arrives. */
  keepPrevious?: boolean
}

type ReadArguments<Name extends RouteName> =
  ParamsPart<Routes[Name]> extends { params: object }
    ? [input: ReadInput<Name>, options?: ReadOptions]
    : [input?: ReadInput<Name>, options?: ReadOptions]

/** A read, cached under its name and input. */
export function useApi<Name extends RouteName>(
  name: Name,
  ...[input, options = {}]: ReadArguments<Name>
): UseQueryResult<AnswerTo<Name>, ApiError> {
  const { enabled = true, everyMs, keepPrevious = false } = options
  const request = inputOf<Name>(input)
  return useQuery<AnswerTo<Name>, ApiError, AnswerTo<Name>>({
    queryKey: [name, request.params ?? {}, request.query ?? {}],
    queryFn: ({ signal }) => call(name, request, signal),
    enabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  })
}

export type Pages<Row> = {
  rows: readonly Row[]
  isPending: boolean
  error: ApiError | null
  hasMore: boolean
  lastPageRows: number
  isLoadingMore: boolean
  more: () => void
  again: () => void
}

/** A list with `cursor` and `nextCursor`, page after page. */
export function usePages<Name extends RouteName, Row>(
  name: Name,
  input: ReadInput<Name>,
  rowsOf: (page: AnswerTo<Name>) => readonly Row[],
  { enabled = true, everyMs }: Omit<ReadOptions, 'keepPrevious'> = {},
): Pages<Row> {
  const request = inputOf<Name>(input)
  const found = useInfiniteQuery({
    queryKey: [name, request.params ?? {}, request.query ?? {}, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      call(name, { ...request, query: { ...request.query, cursor: pageParam } }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => nextCursorOf(page),
    enabled,
    // Every page is read again: a long list as many times less often.
    refetchInterval: ({ state }) => everyMs !== undefined && everyMs * (state.data?.pages.length ?? 1),
  })
  const lastPage = found.data?.pages.at(-1)
  return {
    rows: found.data?.pages.flatMap((page) => rowsOf(page)) ?? [],
    isPending: found.isPending,
    error: found.error instanceof ApiError ? found.error : null,
    hasMore: found.hasNextPage,
    lastPageRows: lastPage === undefined ? 0 : rowsOf(lastPage).length,
    isLoadingMore: found.isFetchingNextPage,
    more: () => void found.fetchNextPage(),
    again: () => void found.refetch(),
  }
}

/** Every row of such a list, page after page, up to `rowsMax`. */
export async function allPages<Name extends RouteName, Row>(
  name: Name,
  input: ReadInput<Name>,
  rowsOf: (page: AnswerTo<Name>) => readonly Row[],
  { rowsPerPage, rowsMax }: { rowsPerPage: string; rowsMax: number },
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const request = inputOf<Name>(input)
  const rows: Row[] = []
  let cursor: string | undefined = ''
  while (cursor !== undefined && rows.length < rowsMax) {
    const page: AnswerTo<Name> = await call(name, {
      ...request,
      query: { ...request.query, limit: rowsPerPage, cursor },
    })
    rows.push(...rowsOf(page))
    cursor = nextCursorOf(page)
  }
  return { rows, hasMore: cursor !== undefined }
}

function nextCursorOf(page: unknown): string | undefined {
  if (typeof page !== 'object' || page === null || !('nextCursor' in page)) return undefined
  return typeof page.nextCursor === 'string' ? page.nextCursor : undefined
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The types of a call demand what its route needs; here they meet as one.
const inputOf = <Name extends RouteName>(input: unknown) => (input ?? {}) as ChangeInput<Name> & Sent

/** A change; afterwards, everything read by the routes in `invalidates` is read again. */
export function useChange<Name extends RouteName>(
  name: Name,
  { invalidates }: { invalidates: readonly RouteName[] },
): UseMutationResult<AnswerTo<Name>, ApiError, ChangeInput<Name>> {
  const queries = useQueryClient()
  return useMutation<AnswerTo<Name>, ApiError, ChangeInput<Name>>({
    mutationFn: (input) => call(name, input),
    onSuccess: async () => {
      await Promise.all(invalidates.map((read) => queries.invalidateQueries({ queryKey: [read] })))
    },
  })
}

/** The CSRF token, which proves that a change comes from this page; the service gives it to the signed-in operator. */
let token: string | undefined

export function keepCsrfToken(given: string | null | undefined): void {
  token = given ?? undefined
}

function csrfHeaders(): Record<string, string> {
  return token === undefined ? {} : { 'x-csrf-token': token }
}

/** A change with a secret in its input or answer, which bypasses the cache that other changes use. */
export function useUncachedChange<Name extends RouteName>(name: Name) {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const send = async (input: ChangeInput<Name>): Promise<AnswerTo<Name> | undefined> => {
    setState({ isBusy: true })
    try {
      const answer = await call(name, input)
      setState({ isBusy: false })
      return answer
    } catch (error) {
      setState({ isBusy: false, error })
      return undefined
    }
  }
  const run = async (input: ChangeInput<Name>, done: (answer: AnswerTo<Name>) => void): Promise<void> => {
    const answer = await send(input)
    if (answer !== undefined) done(answer)
  }
  return {
    ...state,
    run: (input: ChangeInput<Name>, done: (answer: AnswerTo<Name>) => void) => void run(input, done),
  }
}
