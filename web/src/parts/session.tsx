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

/** For what only operators do; people of a supplier may not, whatever their role. */
export function useCan(role: OperatorRole): boolean {
  const me = useMe()
  return me.supplier === null && rankByRole[me.role] >= rankByRole[role]
}

/** Whether a manager of a supplier is signed in. */
export function useIsManager(): boolean {
  const me = useMe()
  return me.supplier !== null && me.role !== 'viewer'
}

/** For what operators do, and managers of a supplier with what is theirs. */
export function useManages(): boolean {
  return useMe().role !== 'viewer'
}

/** Shows its children only to operators with the role; the service refuses others anyway. */
export function Can({ role, children }: { role: OperatorRole; children: ReactNode }) {
  return useCan(role) ? children : null
}

/** Shows its children to operators and to managers of a supplier. */
export function ForManagers({ children }: { children: ReactNode }) {
  return useManages() ? children : null
}
