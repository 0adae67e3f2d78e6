import type { Static, TSchema } from 'typebox'
import type { PlatformCalls, SupplierCalls } from '../src/api.ts'
import type { CallOptions, UploadOptions } from '../src/operations.ts'
import type { Data, FileStream } from '../src/transfers.ts'
import type * as api from '../src/api.ts'
import type { RouteName, routes } from '../../../src/contract.ts'
import type { AnswerOf, BodyOf, NumberText, ParamsOf, QueryOf, Route } from '../../../src/http/route.ts'
import type { PriceCheckAnswer, PriceCheckRequest } from '../../../src/price-check/callback-contract.ts'
import type { DeliveredReservation, Delivery } from '../../../src/bookings/callback-contract.ts'

/** The compiler proves here that the client's generated types equal those of the contract. */

/** Maps members one by one, so that two spellings of the same type compare as equal. */
type Plain<T> = T extends (infer Element)[]
  ? Plain<Element>[]
  : T extends object
    ? { [Name in keyof T]: Plain<T[Name]> }
    : T
type Same<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false

type Calls = SupplierCalls & PlatformCalls
type Contract = typeof routes
type Inputs<R extends Route> = [
  ...('params' extends keyof R ? [ParamsOf<R>] : []),
  ...('query' extends keyof R ? [AsGiven<QueryOf<R>>?] : []),
  ...('body' extends keyof R ? (R extends { isBodyOptional: true } ? [BodyOf<R>?] : [BodyOf<R>]) : []),
  ...(R extends { transfers: 'upload' } ? [Data] : []),
]
/** Callers of the client give numbers as numbers. */
type AsGiven<Query> = {
  [Name in keyof Query]: NonNullable<Query[Name]> extends NumberText ? number : Query[Name]
}
type Options<R extends Route> = R extends { transfers: 'upload' } ? UploadOptions : CallOptions

type Answers<R extends Route> = R extends { transfers: 'download' }
  ? FileStream
  : AnswerOf<R> | (R extends { answers: infer A } ? StaticIn<A[keyof A]> : never)
type StaticIn<S> = S extends TSchema ? Static<S> : never

type Differing = {
  [Name in RouteName]: Name extends keyof Calls
    ? Same<Awaited<ReturnType<Calls[Name]>>, Answers<Contract[Name]>> extends true
      ? Same<
          Parameters<Calls[Name]>,
          [...Inputs<Contract[Name]>, options?: Options<Contract[Name]>]
        > extends true
        ? never
        : Name
      : Name
    : Name
}[RouteName]

type CallbacksAgree = [
  Same<api.PriceCheckRequest, PriceCheckRequest>,
  Same<api.PriceCheckAnswer, PriceCheckAnswer>,
  Same<api.DeliveredReservation, DeliveredReservation>,
  Same<api.Delivery, Delivery>,
]

export type TypesAgree = [Differing] extends [never]
  ? CallbacksAgree extends true[]
    ? true
    : false
  : Differing
export const typesAgree: TypesAgree = true
