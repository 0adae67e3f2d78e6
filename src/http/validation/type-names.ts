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

/** A value of the type, and the usual mistake. */
export function exampleOf(type: unknown): string {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (types.includes('integer') || types.includes('number')) return '5, not "5"'
  if (types.includes('boolean')) return 'true, not "true"'
  return types.includes('string') ? '"5", not 5' : 'an array as [] and an object as {}'
}
