import { useState } from 'react'
import { call, type AnswerTo, type ChangeInput, type RouteName } from '../../api.ts'

/** A change with a secret in its input or answer, which bypasses the cache that other changes use. */
export function useUncachedChange<Name extends RouteName>(name: Name) {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const send = async (input: ChangeInput<Name>): Promise<AnswerTo<Name> | undefined> => {
    setState({ isBusy: true })
    try {
      const answer = await call(name, input)
      setState({ isBusy: false })
      return answer
    } catch (error) {
      setState({ isBusy: false, error })
      return undefined
    }
  }
  const run = async (input: ChangeInput<Name>, done: (answer: AnswerTo<Name>) => void): Promise<void> => {
    const answer = await send(input)
    if (answer !== undefined) done(answer)
  }
  return {
    ...state,
    run: (input: ChangeInput<Name>, done: (answer: AnswerTo<Name>) => void) => void run(input, done),
  }
}
