import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type AnswerTo, type ChangeInput } from '../../api.ts'

type SecretRoute = 'createSupplierKey' | 'rotateSupplierKey' | 'rotateSigningSecret'

/**
 * A change that answers with a secret. The answer stays with the dialog that shows it and goes with it: no cache holds
 * it, as it would hold what other changes answer.
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
