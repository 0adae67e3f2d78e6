import type { RouteName, routes } from '../../src/contract.ts'
import type { Call } from '../../src/http/calls/call.ts'
import type { Access, Route } from '../../src/http/route.ts'

/** The compiler proves here that a handler sees exactly the caller that the access of its route permits. */

type SeenBy<R extends Route> = Extract<keyof Call<R>, 'caller' | 'tokenId' | 'operator' | 'visit' | 'push'>
type Expected<R extends Route> =
  | { supplier: 'caller'; platform: 'tokenId'; operator: 'operator' | 'visit'; open: 'visit' }[R['access'] &
      Access]
  | (R extends { pushKind: string } ? 'push' : never)
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

type Contract = typeof routes
type Differing = {
  [Name in RouteName]: Same<SeenBy<Contract[Name]>, Expected<Contract[Name]>> extends true ? never : Name
}[RouteName]

/** Fails to compile when `Differing` names a route. */
export const noneDiffers: [Differing] extends [never] ? true : Differing = true
