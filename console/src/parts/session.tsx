import { createContext, useContext, type ReactNode } from 'react'
import type { OperatorRole } from '../../../src/http/route.ts'
import type { AnswerTo } from '../api.ts'

/** Who is signed in; the shell asks before it shows a page. */
export const Session = createContext<AnswerTo<'whoAmI'> | undefined>(undefined)

export function useMe(): AnswerTo<'whoAmI'> {
  const me = useContext(Session)
  if (!me) throw new Error('Nobody is signed in')
  return me
}

const rankByRole: Readonly<Record<OperatorRole, number>> = { viewer: 0, operator: 1, admin: 2 }

export function useCan(role: OperatorRole): boolean {
  return rankByRole[useMe().role] >= rankByRole[role]
}

/** Shows what only those of a role may do; the service refuses it to the others anyway. */
export function Can({ role, children }: { role: OperatorRole; children: ReactNode }) {
  return useCan(role) ? children : null
}
