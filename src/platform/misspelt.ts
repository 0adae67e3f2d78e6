import type { TSchema } from 'typebox'
import { pointerPart } from './json.ts'
import { problemsListedMax, type Problem } from './rejected.ts'
import { meantBy } from './spelling.ts'
import { isRecord } from './validate.ts'

/** Of one object; whoever sends more unknown members than that means something else. */
const unknownLookedAtMax = 50

/**
 * Warnings of members that are ignored because nobody knows them, where one that is known, and was not sent, has a
 * name so near that it was probably meant. The value must have the shape.
 */
export function misspelt(shape: TSchema, value: unknown): Problem[] {
  const found: Problem[] = []
  collect(shape, value, '', found)
  return found
}

function collect(shape: unknown, value: unknown, path: string, found: Problem[]): void {
  if (!isRecord(shape) || found.length >= problemsListedMax) return
  if (Array.isArray(value)) {
    const { items } = shape
    if (!isRecord(items) || !mayHoldNames(items)) return
    for (const [index, element] of value.entries()) collect(items, element, `${path}/${index}`, found)
  }
  const { properties } = shape
  if (!isRecord(value) || !isRecord(properties)) return
  const names = Object.keys(value)
  const unknown = names.filter((name) => !Object.hasOwn(properties, name))
  const missing = Object.keys(properties).filter((name) => !Object.hasOwn(value, name))
  for (const name of unknown.slice(0, unknownLookedAtMax)) {
    const meant = meantBy(name, missing)
    if (meant === undefined || found.length >= problemsListedMax) continue
    found.push({
      type: 'UNKNOWN_FIELD',
      message: `${name} is not known and was ignored`,
      path: `${path}/${pointerPart(name)}`,
      hint: `Did you mean ${meant}?`,
    })
  }
  for (const [name, member] of Object.entries(properties)) {
    if (Object.hasOwn(value, name)) collect(member, value[name], `${path}/${pointerPart(name)}`, found)
  }
}

function mayHoldNames({ properties, items }: Record<string, unknown>): boolean {
  return properties !== undefined || items !== undefined
}
