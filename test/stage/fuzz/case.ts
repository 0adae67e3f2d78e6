import type { RouteName } from '../../../src/contract.ts'

/** One request to be sent, and what a correct server may do with it. */
export type FuzzCase = {
  what: string
  route: RouteName | undefined
  parts: readonly Buffer[]
  pauseMs?: number
  /** We end our half of the connection when all is sent. */
  halfClose?: boolean
  /** The server must end the connection. */
  isClosed?: boolean
  isHead?: boolean
  /** How many answers a correct server gives. */
  replies: { least: number; most: number }
  /** The x-request-id that was sent and must come back. */
  requestId?: string
  /** For the reader of a failure. */
  request?: Described
}

export type Described = {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: Buffer | undefined
  isChunked?: boolean
}

export type Seat = { apiKey: string; platformToken: string; supplier: string; host: string }
