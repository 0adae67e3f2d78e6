import Type from 'typebox'
import { consoleRoute, nameText, text } from '../../http/route.ts'

/** Filters of lists under a name: everybody's own, on every machine that they sign in on. */

export const savedViews = { perPersonMax: 50, nameLengthMax: 60 }

export type SavedView = {
  /** Of the list, below the console's own: `/hotels`. */
  path: string
  name: string
  /** The filters as in the address: `search=sea&sort=stalest`; empty: none. */
  query: string
}

const path = text({ maxLength: 200 })
const name = nameText({ maxLength: savedViews.nameLengthMax })
const ofOneself = { forSuppliers: 'oneself' } as const

export const viewRoutes = {
  /** By path and name. */
  listViews: consoleRoute<{ views: SavedView[] }>()({ ...ofOneself, method: 'GET', path: '/me/views' }),
  /** Replaces the view of the list that has the name. */
  saveView: consoleRoute<{ view: SavedView }>()({
    ...ofOneself,
    method: 'PUT',
    path: '/me/views',
    body: Type.Object({ path, name, query: Type.Optional(text({ maxLength: 2_000 })) }),
  }),
  /** Also answers 200 if there is none. */
  removeView: consoleRoute<Record<string, never>>()({
    ...ofOneself,
    method: 'POST',
    path: '/me/views/remove',
    body: Type.Object({ path, name }),
  }),
}
