import type { TestClient, TestGateway } from '../harness.ts'

/** What steps of all hotels need. */

export const timeZone = 'Europe/Paris'

export type Counted = Record<
  | 'steps'
  | 'pushes'
  | 'withheld'
  | 'heldItems'
  | 'sharedChanges'
  | 'superseded'
  | 'releases'
  | 'discards'
  | 'expired'
  | 'undos'
  | 'holdsUndone'
  | 'bookings'
  | 'currencies'
  | 'offers',
  number
>

export type Stage = {
  gateway: TestGateway
  /** Two keys of each supplier. */
  guarded: readonly TestClient[]
  free: readonly TestClient[]
  platform: TestClient
  counted: Counted
}
