/**
 * What is to be done is timed by the database's clock, also for an account of the sandbox whose clock is ahead: an advance moves
 * it up. What is noted of reservations and deliveries bears the account's own time.
 */

/** SQL: what the clock of an account says when ours says `ms`, a parameter. */
export function accountTime(ms: string, supplierId: string): string {
  return `instant(${ms}::float8 + (select clock_ahead_ms from supplier where supplier.id = ${supplierId}))`
}
