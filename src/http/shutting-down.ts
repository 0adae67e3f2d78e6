import { Rejected } from './rejected.ts'

const nothingApplied = 'Nothing was applied; send the same again after Retry-After'

/** For requests that come, or are not finished, when the service ends. */
export function shuttingDown(hint = nothingApplied): Rejected {
  return new Rejected(
    503,
    { type: 'SHUTTING_DOWN', message: 'The service is shutting down', hint },
    { headers: { 'retry-after': '2', connection: 'close' } },
  )
}
