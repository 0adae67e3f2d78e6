import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useChange } from '../api.ts'

/** Ends the session, and forgets everything that was read in it. */
export function useSignOut(): () => void {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const change = useChange('signOut', { invalidates: [] })
  return () => {
    change.mutate(
      {},
      {
        onSuccess: () => {
          queries.clear()
          void navigate({ to: '/sign-in' })
        },
      },
    )
  }
}
