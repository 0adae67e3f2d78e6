import { createContext, useContext, type ReactNode } from 'react'
import type { OperatorRole } from '../../../src/http/route.ts'
import type { AnswerTo } from '../api.ts'

/** The signed-in operator; the shell loads it before it shows a page. */
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

/** Shows its children only to operators with the role; the service refuses others anyway. */
export function Can({ role, children }: { role: OperatorRole; children: ReactNode }) {
  return useCan(role) ? children : null
}
