import type { Queryable } from '../postgres/postgres.ts'
import { mealPlans } from './meal-plans.ts'
import { roomTypes } from './room-types.ts'

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
