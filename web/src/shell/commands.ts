import type { TFunction } from 'i18next'
import type { SearchResult } from '../../../src/console-api/search/contract.ts'
import type { OperatorRole } from '../../../src/http/route.ts'
import type { Visit } from '../parts/visits.ts'
import { pagesFor, type NavItem } from './menu.tsx'

/** What Ctrl+K offers: pages, what was looked at last, found things, and actions on them. */

/** A place in the console: path and search. */
export type Target = { path: string; search?: Readonly<Record<string, string>> }

export type Command =
  | { kind: 'page'; key: string; label: string; icon: NavItem['icon']; target: Target }
  | { kind: 'action'; key: string; label: string; more: string; target: Target }
  | { kind: 'visit'; key: string; label: string; of: Visit['kind']; target: Target }
  | { kind: 'found'; key: string; found: SearchResult; target: Target }

export type Viewer = { environment: 'sandbox' | 'production'; role: OperatorRole }

/** Actions on a hotel or a supplier. `words`: how people begin to ask for it. */
const actions = [
  { name: 'stop', of: 'hotel', role: 'operator', words: ['stop', 'stop-sell', 'stopsell', 'close'] },
  { name: 'resume', of: 'hotel', role: 'operator', words: ['resume', 'reopen'] },
  { name: 'why', of: 'hotel', role: 'viewer', words: ['why', 'explain', 'bookable'] },
  { name: 'calendar', of: 'hotel', role: 'viewer', words: ['calendar', 'ari'] },
  { name: 'pushes', of: 'hotel', role: 'viewer', words: ['pushes', 'log'] },
  { name: 'reservations', of: 'hotel', role: 'viewer', words: ['reservations', 'bookings'] },
  { name: 'changes', of: 'hotel', role: 'viewer', words: ['changes', 'audit', 'history'] },
  { name: 'rotate', of: 'supplier', role: 'admin', words: ['rotate'] },
  { name: 'revoke', of: 'supplier', role: 'admin', words: ['revoke'] },
  { name: 'supplierPushes', of: 'supplier', role: 'viewer', words: ['pushes', 'log'] },
  { name: 'supplierChanges', of: 'supplier', role: 'viewer', words: ['changes', 'audit', 'history'] },
] as const
type Action = (typeof actions)[number]

const rankByRole: Readonly<Record<OperatorRole, number>> = { viewer: 0, operator: 1, admin: 2 }

/** Words between the action and the name of the thing: `rotate the key of Sea PMS`. */
const filler = /^(?:(?:the|a|sales?|keys?|of|at|for|in)\s+)+/i

/** `stop BAR at Sea View` as the action `stop`, the name `Sea View`, and `BAR`. */
export function readTyped(typed: string): { search: string; word: string | undefined; only: string } {
  const [, word = '', rest = ''] = /^(\S+)\s+(.+)$/.exec(typed) ?? []
  const isAction = actions.some(({ words }) => words.some((one) => one === word.toLowerCase()))
  if (!isAction) return { search: typed, word: undefined, only: '' }
  const [, only = '', at = ''] = /^(.+?)\s+(?:at|of|for|in)\s+(.+)$/i.exec(rest) ?? []
  const search = (at === '' ? rest : at).replace(filler, '')
  return { search, word: word.toLowerCase(), only: only.replace(filler, '').replace(/^keys?$/i, '') }
}

function targetOf(name: Action['name'], id: string, only: string): Target {
  const rooms = only === '' ? {} : { rooms: only }
  const byName: Readonly<Record<Action['name'], Target>> = {
    stop: { path: `/hotels/${id}/calendar`, search: { do: 'stop', ...rooms } },
    resume: { path: `/hotels/${id}/calendar`, search: { do: 'open', ...rooms } },
    why: { path: `/hotels/${id}`, search: { tab: 'why' } },
    calendar: { path: `/hotels/${id}/calendar`, search: rooms },
    pushes: { path: '/pushes', search: { hotelId: id } },
    reservations: { path: '/reservations', search: { hotelId: id } },
    changes: { path: '/audit', search: { hotelId: id } },
    rotate: { path: `/suppliers/${id}`, search: { do: 'rotate' } },
    revoke: { path: `/suppliers/${id}`, search: { do: 'revoke' } },
    supplierPushes: { path: '/pushes', search: { supplierId: id } },
    supplierChanges: { path: '/audit', search: { supplierId: id } },
  }
  return byName[name]
}

function pageOf(found: SearchResult): Target {
  switch (found.kind) {
    case 'hotel':
      return { path: `/hotels/${found.hotelId}` }
    case 'supplier':
      return { path: `/suppliers/${found.supplierId}` }
    case 'reservation':
      return { path: `/reservations/${found.reservationId}` }
    case 'push':
      return { path: `/pushes/${found.pushId}` }
    case 'key':
      return { path: `/suppliers/${found.supplierId}` }
  }
}

/** In the order in which they are offered; Enter takes the first. */
export function commandsFor(
  t: TFunction,
  typed: string,
  found: readonly SearchResult[],
  visits: readonly Visit[],
  viewer: Viewer,
): Command[] {
  const pages = pagesFor(viewer).map((item): Command => {
    const label = t(`shell.nav.${item.name}`)
    return { kind: 'page', key: item.name, label, icon: item.icon, target: { path: item.to } }
  })
  if (typed === '') {
    const seen = visits.map(({ kind, id, name }): Command => {
      return {
        kind: 'visit',
        key: `${kind} ${id}`,
        label: name,
        of: kind,
        target: { path: `/${kind}/${id}` },
      }
    })
    return [...seen, ...pages]
  }
  const { word, only } = readTyped(typed)
  const begun = typed.toLowerCase()
  const named = pages.filter((page) => 'label' in page && page.label.toLowerCase().startsWith(begun))
  const things = found.map((one, index): Command => {
    return { kind: 'found', key: `found ${index}`, found: one, target: pageOf(one) }
  })
  const asked = found.flatMap((one) => actionsOn(t, one, word, only, viewer))
  // An action that was asked for comes first; otherwise the things, and what can be done with the first of them.
  return word === undefined ? [...named, ...things, ...asked] : [...asked, ...things]
}

function actionsOn(
  t: TFunction,
  found: SearchResult,
  word: string | undefined,
  only: string,
  { role }: Viewer,
): Command[] {
  if (found.kind !== 'hotel' && found.kind !== 'supplier') return []
  const { kind, name } = found
  const id = String(found.kind === 'hotel' ? found.hotelId : found.supplierId)
  return actions
    .filter((action) => action.of === kind && rankByRole[role] >= rankByRole[action.role])
    .filter(({ words }) => word === undefined || words.some((one) => one === word))
    .map((action): Command => {
      const label =
        only !== '' && (action.name === 'stop' || action.name === 'resume')
          ? t(`shell.search.only.${action.name}`, { only, name })
          : t(`shell.search.do.${action.name}`, { name })
      const more = found.kind === 'hotel' ? `${found.code} · ${found.supplier}` : ''
      return {
        kind: 'action',
        key: `${action.name} ${id}`,
        label,
        more,
        target: targetOf(action.name, id, only),
      }
    })
}
