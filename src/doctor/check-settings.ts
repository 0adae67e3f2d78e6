import type { Settings } from '../settings/config.ts'
import { ok, warned, wrong, type CheckOutcome } from './findings.ts'

/** The settings as a service would read them. */
export type Loaded = { settings: Settings; warnings: readonly string[] } | { problems: readonly string[] }

const list = 'docs/operating.md lists every setting'

/** Names, ranges, files, and what must be set together: as at the start of a service. */
export function checkSettings(loaded: Loaded): readonly CheckOutcome[] {
  const found =
    'problems' in loaded
      ? loaded.problems.map((message) =>
          wrong({
            message,
            why: 'a service with this setting does not start',
            remedy: `Correct it in the environment of the service or in its .env; ${list}`,
          }),
        )
      : loaded.warnings.map(unknownName)
  return found.length > 0 ? found : [ok('every setting is known, and every value valid')]
}

function unknownName(message: string): CheckOutcome {
  const why = 'it has no effect: the setting that was meant keeps its default'
  const meant = /did you mean (\w+)\?/.exec(message)?.[1]
  return meant === undefined
    ? warned({ message, why, remedy: `Remove it, or correct its name; ${list}` })
    : wrong({ message, why, remedy: `Rename it to ${meant}, or remove it` })
}
