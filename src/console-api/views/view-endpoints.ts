import type { Operator } from '../../http/calls/call.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import type { Needs } from '../../postgres/postgres.ts'
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
    const isSaved = await transaction(db, async (connection) => {
      // Two that are saved at once could both be the last one that there is room for.
      await connection.query('select from operator where id = $1 for no key update', [id])
      const { rowCount } = await connection.query(
        `insert into saved_view (operator_id, path, name, query, saved_at)
         select $1, $2, $3, $4, instant($5)
         where (select count(*) from saved_view where operator_id = $1) < $6
           or exists (select from saved_view where operator_id = $1 and path = $2 and name = $3)
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
    await db.query('delete from saved_view where operator_id = $1 and path = $2 and name = $3', [
      accountOf(operator),
      path,
      name,
    ])
    return answer(200, {})
  })

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
