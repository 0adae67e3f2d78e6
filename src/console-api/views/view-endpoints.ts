import type { Operator } from '../../http/calls/call.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import { foldedName, refuseLookAlikes } from '../../keys/names.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { savedViews, viewRoutes, type SavedView } from './contract.ts'

/** GET /me/views. */
export const listViews = ({ db }: Pick<Needs, 'db'>): Mounted =>
  on(viewRoutes.listViews, async ({ operator: { id } }) => {
    const { rows: views } = await db.query<SavedView>(
      'select path, name, query from saved_view where operator_id = $1 order by path, name',
      [id ?? null],
    )
    return answer(200, { views })
  })

/** PUT /me/views. */
export const saveView = ({ db, clock }: Needs): Mounted =>
  on(viewRoutes.saveView, async ({ operator, body: { path, name, query = '' } }) => {
    const id = accountOf(operator)
    refuseLookAlikes('View', name)
    const isSaved = await transaction(db, async (connection) => {
      // Two that are saved at once could both be the last one that there is room for.
      await connection.query('select from operator where id = $1 for no key update', [id])
      await removeAlike(connection, { id, path, name })
      const { rowCount } = await connection.query(
        `insert into saved_view (operator_id, path, name, query, saved_at)
         select $1, $2, $3, $4, instant($5)
         where (select count(*) from saved_view where operator_id = $1) < $6
         on conflict (operator_id, path, name) do update
           set query = excluded.query, saved_at = excluded.saved_at`,
        [id, path, name, query, clock.now(), savedViews.perPersonMax],
      )
      return rowCount === 1
    })
    if (!isSaved) throw tooMany
    return answer(200, { view: { path, name, query } })
  })

/** POST /me/views/remove. */
export const removeView = ({ db }: Pick<Needs, 'db'>): Mounted =>
  on(viewRoutes.removeView, async ({ operator, body: { path, name } }) => {
    await removeAlike(db, { id: accountOf(operator), path, name })
    return answer(200, {})
  })

/** Removes the view whose name is the same but for case and the ways to write a character. */
async function removeAlike(
  db: Queryable,
  { id, path, name }: { id: number; path: string; name: string },
): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    'select name from saved_view where operator_id = $1 and path = $2',
    [id, path],
  )
  const folded = foldedName(name)
  const alike = rows.map((view) => view.name).filter((other) => foldedName(other) === folded)
  await db.query('delete from saved_view where operator_id = $1 and path = $2 and name = any($3::text[])', [
    id,
    path,
    alike,
  ])
}

function accountOf({ id }: Operator): number {
  if (id !== undefined) return id
  throw new Rejected(403, {
    type: 'NO_VIEWS_OF_TOKENS',
    message: 'A token has no saved views',
    hint: 'Sign in to the console',
  })
}

const tooMany = new Rejected(409, {
  type: 'TOO_MANY_VIEWS',
  message: `You can save at most ${savedViews.perPersonMax} views`,
  hint: 'Remove one that you no longer need',
})
