import { exampleOf } from '../field-examples.ts'

/** The JSON type, or the types, that a member must have, in words. */
export function typeName(type: unknown): string {
  const names: Record<string, string> = {
    array: 'an array',
    object: 'an object',
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    null: 'null',
  }
  return (Array.isArray(type) ? type : [type]).map((one) => names[String(one)] ?? String(one)).join(' or ')
}

/** The contract's description of a missing member. */
export function whatToSend(missing: string, member: Record<string, unknown>): string {
  const { description, examples } = member
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined
  const kind = kindOf(member)
  const described = typeof description === 'string' ? `: ${description.replaceAll('`', '')}` : ''
  return `Send ${missing}${kind === '' ? '' : `, ${kind}`}${described}${example === undefined ? '' : `, for example ${JSON.stringify(example)}`}`
}

function shownExample(schema: Record<string, unknown>): string {
  const example = exampleOf(schema)
  return example === undefined || Array.isArray(schema['enum']) ? '' : `, for example ${example}`
}

/** Types are not coerced, so a number or a boolean in quotation marks is the usual mistake. */
export function wrongTypeHint(schema: Record<string, unknown>, sent: unknown): string {
  if (sent === null) return 'null is not allowed here; omit the member'
  const inQuotes = typeof sent === 'string' && sent !== '' ? ', without quotation marks' : ''
  const ofScalars = /array|object/.test(String(schema['type'])) ? '' : inQuotes
  return `Send ${kindOf(schema)}${shownExample(schema)}${ofScalars}`
}

function kindOf(member: Record<string, unknown>): string {
  if (Array.isArray(member['enum'])) return `one of ${member['enum'].join(', ')}`
  if (member['night'] === true) return 'a date in the form YYYY-MM-DD'
  if (member['decimal'] !== undefined) return 'a number or a decimal string'
  if (typeof member['form'] === 'string') return member['form']
  return member['type'] === undefined ? '' : typeName(member['type'])
}
