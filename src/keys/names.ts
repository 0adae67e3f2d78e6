import { isCardNumberId } from '../base/card-number.ts'
import { Rejected, reportedValue } from '../http/rejected.ts'
import { invisible } from '../http/validation/characters.ts'
import type { TokenRole } from './store.ts'

/** Names of suppliers, operators and whatever else people tell apart by its name. */

const nameLengthMax = 100

/** Names of suppliers, channel managers and tokens. */
export function checkName(what: string, name: string): void {
  if (name.length <= nameLengthMax && /^[^\p{C}\s]+(?: [^\p{C}\s]+)*$/u.test(name)) return
  throw new Rejected(400, {
    type: 'INVALID_NAME',
    message: `${what} name must be 1 to ${nameLengthMax} printable characters, with single spaces inside only`,
    value: reportedValue(name),
  })
}

const channelText = /^[^\p{C}\s](?:[^\p{C}]{0,62}[^\p{C}\s])?$/u

/** Where the owner of a platform's token sells. */
export function checkChannel(role: TokenRole, channel: string): void {
  if (!channelText.test(channel) || isCardNumberId(channel))
    throw new Rejected(400, {
      type: 'INVALID_CHANNEL',
      message:
        'A channel must be 1 to 64 printable characters, without spaces at its ends and without card numbers',
    })
  if (role !== 'platform')
    throw new Rejected(400, {
      type: 'NO_CHANNEL',
      message: `A token of the role ${role} has no channel: it doesn't book`,
      hint: 'Only platform tokens have one',
    })
}

/** Names with the same key are one name: case and the ways to write a character don't count (NFKC, case folded). */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}

const scripts = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Thai',
  'Cherokee',
  'Coptic',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
] as const
/** They are written together, and with Latin letters, and look like no other. */
const eastAsian: ReadonlySet<string> = new Set(['Latin', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'])
const patternByScript = scripts.map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const)

/** Refuses a new name that may look like another one. */
export function refuseLookAlikes(what: string, name: string): void {
  refuseInvisible(what, name)
  refuseMixedScripts(what, name)
}

/** `demo` with a variation selector looks like `demo`, and a name of invisible letters alone like none. */
export function refuseInvisible(what: string, name: string): void {
  const [found] = invisible.exec(name) ?? []
  if (found === undefined) return
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  throw new Rejected(400, {
    type: 'INVALID_NAME',
    message: `${what} name has an invisible character, U+${code}`,
    value: reportedValue(name),
    hint: 'Leave it out: names are told apart by what people see',
  })
}

/** A word in several scripts: `dеmo` with a Cyrillic е looks like `demo`. */
function refuseMixedScripts(what: string, name: string): void {
  for (const [word] of name.normalize('NFKC').matchAll(/[\p{L}\p{M}]+/gu)) {
    const used = patternByScript.flatMap(([script, pattern]) => (pattern.test(word) ? [script] : []))
    if (used.length < 2 || used.every((script) => eastAsian.has(script))) continue
    throw new Rejected(400, {
      type: 'MIXED_SCRIPTS',
      message: `${what} name has a word with letters of several scripts: ${used.join(' and ')}`,
      value: reportedValue(name),
      hint: 'Write each word in the letters of one script',
    })
  }
}
