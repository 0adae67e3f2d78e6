import type { TSchema } from 'typebox'
import type { HandlerNeeds } from './handler-needs.ts'
import { Gate } from '../base/gate.ts'
import type { Mounted } from '../http/calls/mount.ts'
import { readId } from '../http/calls/query.ts'
import { Rejected } from '../http/rejected.ts'
import { isRecord } from '../http/validation/validate.ts'
import { parseDeliveryId } from '../bookings/outbox/delivery-queue.ts'
import { readReservationId, reservationNotFound } from '../bookings/store.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { asSupplier, databaseOfSession, lacksRole } from '../postgres/supplier-session.ts'
import { hotelNotFound, selectOptionalOwner } from '../console-api/hotels/store.ts'
import { selectOptionalReservationOwner } from '../console-api/bookings/store.ts'
import { deliveryNotFound } from '../console-api/deliveries/delivery-endpoints.ts'
import { selectOptionalDeliveryOwner } from '../console-api/deliveries/store.ts'
import { pushNotFound, readPushId } from '../console-api/pushes/push-endpoints.ts'
import { selectOptionalPush } from '../console-api/pushes/store.ts'
import { keyUnknown, supplierUnknown } from '../console-api/suppliers/rules.ts'
import { selectOptionalKeyOwner } from '../console-api/suppliers/store.ts'

/**
 * The first wall around the sessions of suppliers' people, before any handler: what a path names must belong to their
 * supplier, and a list is of their supplier whatever the request says. The second wall is the database: their handlers
 * have one that shows nothing else (postgres/supplier-session.ts), except for commands, which change too much for its
 * role and are given the supplier of the path. decisions/054-supplier-sessions.md.
 */

type Owned = {
  ownerOf: (db: Queryable, text: string) => Promise<number | undefined>
  /** The answer to an unknown one, which another supplier's is. */
  unknown: (text: string) => Rejected
}

/** By the name of the parameter. */
const owned: Readonly<Record<string, Owned>> = {
  supplierId: { ownerOf: async (_db, text) => readId(text), unknown: supplierUnknown },
  hotelId: { ownerOf: ofHotel, unknown: hotelNotFound },
  pushId: { ownerOf: ofPush, unknown: pushNotFound },
  reservationId: { ownerOf: ofReservation, unknown: reservationNotFound },
  deliveryId: { ownerOf: ofDelivery, unknown: deliveryNotFound },
  keyId: { ownerOf: ofKey, unknown: keyUnknown },
}
/** Parts of what the parameters before them name. */
const parts = ['revision', 'part', 'personId', 'callId', 'exportId']

/**
 * Commands of a supplier's people at the same time: each may hold a connection while it waits for the account's lock. Those
 * that wait are no more than their requests in flight.
 */
const commandsMax = { passing: 2, waiting: Infinity }

/** Makes the handlers of console routes: for operators and, where a route is for them, for people of a supplier. */
export function forPeopleOfSuppliers(
  needs: HandlerNeeds,
): (make: (needs: HandlerNeeds) => Mounted) => Mounted {
  const needsOfSession = { ...needs, db: databaseOfSession(needs.db) }
  const commands = new Gate(commandsMax)
  const inTurn = (mounted: Mounted): Mounted => {
    const { handle } = mounted
    if (!handle) return mounted
    return {
      ...mounted,
      handle: async (call) => {
        const { supplierId } = ('operator' in call ? call.operator.supplier : undefined) ?? noSupplier
        await commands.enter(supplierId)
        try {
          return await handle(call)
        } finally {
          commands.leave(supplierId)
        }
      },
    }
  }
  return (make) => {
    const everybody = make(needs)
    const { forSuppliers } = everybody.route
    if (forSuppliers !== 'own' && forSuppliers !== 'command') return everybody
    const ofSupplier = forSuppliers === 'own' ? make(needsOfSession) : inTurn(everybody)
    return eitherOf(everybody, ofSupplier, needs.db.unhurried)
  }
}

const noSupplier = { supplierId: 0 }

function eitherOf(everybody: Mounted, ofSupplier: Mounted, db: Queryable): Mounted {
  const { route } = everybody
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  for (const name of names)
    if (!owned[name] && !parts.includes(name)) throw new TypeError(`nobody owns ${name} of ${route.path}`)
  if (route.forSuppliers === 'command' && !names.includes('supplierId'))
    throw new TypeError(`the path of ${route.path} has no supplier for its command`)
  if (!everybody.handle || !ofSupplier.handle) throw new TypeError(`${route.path} is held open`)
  const { handle: answerEverybody } = everybody
  const { handle: answerSupplier } = ofSupplier
  const takesSupplier = hasMember(route.query, 'supplierId')
  return {
    ...everybody,
    handle: async (call) => {
      const supplierId = 'operator' in call ? call.operator.supplier?.supplierId : undefined
      if (supplierId === undefined) return answerEverybody(call)
      await refuseForeign(db, call.params, supplierId)
      const query =
        takesSupplier && isRecord(call.query) ? { ...call.query, supplierId: String(supplierId) } : call.query
      try {
        return await asSupplier(supplierId, () => answerSupplier({ ...call, query }))
      } catch (error) {
        throw lacksRole(error) ? noSupplierSessions() : error
      }
    },
  }
}

function noSupplierSessions(): Rejected {
  return new Rejected(503, {
    type: 'NO_SUPPLIER_SESSIONS',
    message: "The database of this service is not set up for suppliers' people to sign in",
    hint: 'An administrator of the database must create the role ari_supplier; the guide "Operating" has the statements',
  })
}

function hasMember(shape: TSchema & { properties?: object } = {}, name: string): boolean {
  return name in (shape.properties ?? {})
}

async function refuseForeign(db: Queryable, params: unknown, supplierId: number): Promise<void> {
  if (!isRecord(params)) return
  for (const [name, text] of Object.entries(params)) {
    const kind = owned[name]
    if (!kind) continue
    const sent = String(text)
    if ((await kind.ownerOf(db, sent)) !== supplierId) throw kind.unknown(sent)
  }
}

async function ofHotel(db: Queryable, text: string): Promise<number | undefined> {
  const id = readId(text)
  return id === undefined ? undefined : selectOptionalOwner(db, id)
}

async function ofPush(db: Queryable, text: string): Promise<number | undefined> {
  const id = readPushId(text)
  return id === undefined ? undefined : (await selectOptionalPush(db, id))?.supplierId
}

async function ofReservation(db: Queryable, text: string): Promise<number | undefined> {
  const id = readReservationId(text)
  return id === undefined ? undefined : selectOptionalReservationOwner(db, id)
}

async function ofDelivery(db: Queryable, text: string): Promise<number | undefined> {
  const id = parseDeliveryId(text)
  return id === undefined ? undefined : selectOptionalDeliveryOwner(db, id)
}

async function ofKey(db: Queryable, text: string): Promise<number | undefined> {
  const id = readId(text)
  return id === undefined ? undefined : selectOptionalKeyOwner(db, id)
}
