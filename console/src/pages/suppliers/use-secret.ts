import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type AnswerTo, type ChangeInput } from '../../api.ts'

type SecretRoute = 'createSupplierKey' | 'rotateSupplierKey' | 'rotateSigningSecret'

/**
 * A change whose answer contains a secret. Only the dialog that shows it holds the answer; it bypasses the cache that
 * other changes use.
 */
export function useSecret<Name extends SecretRoute>(name: Name) {
  const queries = useQueryClient()
  const [state, setState] = useState<{ isBusy: boolean; made?: AnswerTo<Name>; error?: unknown }>({
    isBusy: false,
  })
  return {
    ...state,
    run: (input: ChangeInput<Name>) => {
      setState({ isBusy: true })
      call(name, input).then(
        (made) => {
          setState({ isBusy: false, made })
          void queries.invalidateQueries({ queryKey: ['getSupplier'] })
        },
        (error: unknown) => setState({ isBusy: false, error }),
      )
    },
    forget: () => setState({ isBusy: false }),
  }
}
