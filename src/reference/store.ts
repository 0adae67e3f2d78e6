import type { Queryable } from '../postgres/postgres.ts'
import { isShipped, shippedCancelCodes, type AddedCancelCodes, type CancelCode } from './cancel-codes.ts'
import { mealPlans, roomTypes } from './shipped-lists.ts'
import { Rejected } from '../http/rejected.ts'
import { invisible } from '../http/validation/characters.ts'

export type RoomType = { name: string; description: string }
export type MealPlan = { code: string; name: string; description: string }

/**
 * Fills the tables with the shipped room types and meal plans at every start: it adds the entries of a new
 * version, and leaves entries that operators edited or retired unchanged. Several processes may do it at
 * once.
 */
export async function fillReference(db: Queryable): Promise<void> {
  await db.query(
    `insert into room_type (name, description) select * from unnest($1::text[], $2::text[])
     on conflict (name) do nothing`,
    [roomTypes.map(({ name }) => name), roomTypes.map(({ description }) => description)],
  )
  await db.query(
    `insert into meal_plan (code, name, description) select * from unnest($1::text[], $2::text[], $3::text[])
     on conflict (code) do nothing`,
    [
      mealPlans.map(({ code }) => code),
      mealPlans.map(({ name }) => name),
      mealPlans.map(({ description }) => description),
    ],
  )
}

/** The room types that new pushes may use. */
export async function selectRoomTypes(db: Queryable): Promise<RoomType[]> {
  const { rows } = await db.query<RoomType>(
    'select name, description from room_type where retired_at is null order by name',
  )
  return rows
}

/** The meal plans that new pushes may use. */
export async function selectMealPlans(db: Queryable): Promise<MealPlan[]> {
  const { rows } = await db.query<MealPlan>(
    'select code, name, description from meal_plan where retired_at is null order by code',
  )
  return rows
}

/** The codes for cancellation policies: those of the service, then those that operators added. */
export async function selectCancelCodes(db: Queryable): Promise<CancelCode[]> {
  const added = await listCancelCodes(db)
  return [
    ...shippedCancelCodes,
    ...added.flatMap(({ retired, ...code }) => (retired || isShipped(code.code) ? [] : [code])),
  ]
}

/** What the codes mean that operators added, also retired ones. */
export async function selectAddedCancelCodes(db: Queryable): Promise<AddedCancelCodes> {
  const { rows } = await db.query<{ added: AddedCancelCodes }>({
    name: 'select-added-cancel-codes',
    text: `select ${addedCancelCodesColumn} as added`,
  })
  return rows[0]?.added ?? {}
}

export const addedCancelCodesColumn = `(select coalesce(json_object_agg(code, cancel_penalties), '{}') from cancel_code)`

/** Operators' changes to room types and meal plans. Retired entries stay valid where they are in use. */

export type ListedRoomType = { name: string; description: string; retired: boolean }
export type ListedMealPlan = { code: string; name: string; description: string; retired: boolean }

export async function listRoomTypes(db: Queryable): Promise<ListedRoomType[]> {
  const { rows } = await db.query<ListedRoomType>(
    'select name, description, retired_at is not null as retired from room_type order by name',
  )
  return rows
}

export async function listMealPlans(db: Queryable): Promise<ListedMealPlan[]> {
  const { rows } = await db.query<ListedMealPlan>(
    'select code, name, description, retired_at is not null as retired from meal_plan order by code',
  )
  return rows
}

export type ListedCancelCode = CancelCode & { retired: boolean }

/** The codes that operators added. */
export async function listCancelCodes(db: Queryable): Promise<ListedCancelCode[]> {
  const { rows } = await db.query<ListedCancelCode>(
    `select code, description, cancel_penalties as "cancelPenalties", retired_at is not null as retired
     from cancel_code order by code`,
  )
  return rows
}

/** Adds a room type or changes its description; a retired one becomes valid again. */
export async function putRoomType(
  db: Queryable,
  entry: { name: string; description: string },
): Promise<void> {
  checkTexts(entry)
  await db.query(
    `insert into room_type (name, description) values ($1, $2)
     on conflict (name) do update set description = excluded.description, retired_at = null`,
    [entry.name, entry.description],
  )
}

/** Adds a meal plan or changes its description; a retired one becomes valid again. */
export async function putMealPlan(
  db: Queryable,
  entry: { code: string; name: string; description: string },
): Promise<void> {
  checkTexts(entry)
  await db.query(
    `insert into meal_plan (code, name, description) values ($1, $2, $3)
     on conflict (code) do update set name = excluded.name, description = excluded.description, retired_at = null`,
    [entry.code, entry.name, entry.description],
  )
}

/** New pushes can no longer use it. */
export async function retireRoomType(db: Queryable, name: string, nowMs: number): Promise<void> {
  const { rowCount } = await db.query(
    `update room_type set retired_at = coalesce(retired_at, instant($2)) where name = $1`,
    [name, nowMs],
  )
  if (rowCount === 0) throw notFound('Room type', name)
}

/** New pushes can no longer use it. */
export async function retireMealPlan(db: Queryable, code: string, nowMs: number): Promise<void> {
  const { rowCount } = await db.query(
    `update meal_plan set retired_at = coalesce(retired_at, instant($2)) where code = $1`,
    [code, nowMs],
  )
  if (rowCount === 0) throw notFound('Meal plan', code)
}

const textLengthMax: Readonly<Record<string, number>> = { code: 20, name: 100, description: 500 }

function checkTexts(entry: Readonly<Record<string, string>>): void {
  for (const [member, text] of Object.entries(entry)) {
    const max = textLengthMax[member] ?? 0
    const isPlain = /^[^\p{C}\s]+(?: [^\p{C}\s]+)*$/u.test(text)
    const isSeen = member === 'description' || !invisible.test(text)
    if (isPlain && isSeen && text.length <= max) continue
    throw new Rejected(400, {
      type: 'INVALID_TEXT',
      message: `The ${member} must be 1 to ${max} printable characters, with single spaces inside only`,
      path: `/${member}`,
    })
  }
}

function notFound(what: string, named: string): Rejected {
  return new Rejected(404, {
    type: 'NOT_FOUND',
    message: `${what} ${JSON.stringify(named.slice(0, 100))} not found`,
    hint: 'list shows the existing ones; names are case-sensitive',
  })
}

/**
 * Adds a code for cancellation policies, or changes its description; a retired one becomes valid again. Its penalties
 * are changed only where `isUsed` says that no product has it.
 */
export async function putCancelCode(
  db: Queryable,
  entry: CancelCode,
  isUsed: () => Promise<boolean>,
): Promise<void> {
  const { code, description } = entry
  checkTexts({ code, description })
  if (isShipped(code)) throw codeIsShipped(code)
  const penalties = JSON.stringify(entry.cancelPenalties)
  const { rows } = await db.query<{ isSame: boolean }>(
    `insert into cancel_code (code, description, cancel_penalties) values ($1, $2, $3)
     on conflict (code) do update set description = excluded.description, retired_at = null
     returning cancel_penalties = $3::jsonb as "isSame"`,
    [code, description, penalties],
  )
  if (rows[0]?.isSame === true) return
  if (await isUsed()) throw codeIsUsed(code)
  await db.query('update cancel_code set cancel_penalties = $2 where code = $1', [code, penalties])
}

/** New lists no longer have it; products that have the code keep its terms. */
export async function retireCancelCode(db: Queryable, code: string, nowMs: number): Promise<void> {
  if (isShipped(code)) throw codeIsShipped(code)
  const { rowCount } = await db.query(
    `update cancel_code set retired_at = coalesce(retired_at, instant($2)) where code = $1`,
    [code, nowMs],
  )
  if (rowCount === 0) throw notFound('Cancellation code', code)
}

function codeIsShipped(code: string): Rejected {
  return new Rejected(409, {
    type: 'CODE_SHIPPED',
    message: `The code ${code} is the service's own`,
    hint: 'Add another code',
  })
}

function codeIsUsed(code: string): Rejected {
  return new Rejected(409, {
    type: 'CODE_IN_USE',
    message: `Products have the code ${code}: its penalties cannot be changed`,
    hint: 'Add another code',
  })
}
