import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/**
 * Passwords that others guess first: the 49,000 most used ones, and what people make of them (another case, digits
 * behind, $ for s, rows of the keyboard, repeats, dates).
 */

/** As zxcvbn rates them, 0 to 4: 3 and more is beyond 100 million guesses. */
const scoreMin = 3
/** Judging takes longer the longer a password is, up to 40 ms for these; what is behind could only make it better. */
const charactersJudged = 48

let estimator: Promise<ZxcvbnFactory> | undefined

/** Whether somebody who tries what people choose comes upon it soon. */
export async function isCommonPassword(password: string, name: string): Promise<boolean> {
  // Loaded when somebody chooses a password: its lists are 4 MB.
  const judge = await (estimator ??= load())
  return judge.check(password.normalize('NFKC').slice(0, charactersJudged), [name]).score < scoreMin
}

async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new Factory({ dictionary, graphs: adjacencyGraphs })
}
