import { failureLines } from '../start/failure-lines.ts'

/** What an examination finds. The names of checks and levels are part of `ari doctor --json`. */

export const checks = [
  'settings',
  'descriptors',
  'data-folder',
  'disk',
  'store',
  'database',
  'pooler',
  'rights',
  'clock',
  'schema',
  'environment',
  'writes',
  'vault',
  'deliveries',
  'service',
  'public-url',
  'mail',
  'names',
  'suppliers',
  'webhook',
] as const
export type Check = (typeof checks)[number]

/** `skipped`: not applicable here, or impossible until something else is mended. */
export const levels = ['ok', 'skipped', 'warning', 'wrong'] as const
export type Level = (typeof levels)[number]

/** `why` and `remedy` are there for warnings and what is wrong. */
export type CheckOutcome = { level: Level; message: string; why?: string; remedy?: string }
export type DoctorFinding = { check: Check } & CheckOutcome
type Trouble = { message: string; why: string; remedy: string }

export const ok = (message: string): CheckOutcome => ({ level: 'ok', message })
export const skipped = (message: string): CheckOutcome => ({ level: 'skipped', message })
export const warned = (trouble: Trouble): CheckOutcome => ({ level: 'warning', ...trouble })
export const wrong = (trouble: Trouble): CheckOutcome => ({ level: 'wrong', ...trouble })

/** The worst level, without that of skipped checks. */
export function resultOf(findings: readonly DoctorFinding[]): Exclude<Level, 'skipped'> {
  const has = (level: Level): boolean => findings.some((one) => one.level === level)
  return has('wrong') ? 'wrong' : has('warning') ? 'warning' : 'ok'
}

/** Runs a check. One that fails is a finding itself. */
export async function runCheck(
  check: Check,
  why: string,
  look: () => Promise<CheckOutcome | readonly CheckOutcome[]> | CheckOutcome | readonly CheckOutcome[],
): Promise<DoctorFinding[]> {
  try {
    const found = await look()
    return (Array.isArray(found) ? found : [found]).map((one: CheckOutcome) => ({ check, ...one }))
  } catch (error) {
    return [{ check, ...failed(error, why) }]
  }
}

/** The lines of this program's errors say what is wrong, and after the last colon what to do. */
export function failed(error: unknown, why: string): CheckOutcome {
  const line = failureLines(error).join('; ')
  const end = line.lastIndexOf(': ')
  const [message, remedy] =
    end < 0
      ? [line, 'Look at the logs of the service and of the database']
      : [line.slice(0, end), line.slice(end + 2)]
  return wrong({ message, why, remedy })
}
