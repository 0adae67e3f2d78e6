/** What a member of a body looks like, by the examples of the contract: hints about wrong types show it. */

type Schema = Readonly<Record<string, unknown>>

const exampleBySchema = new WeakMap<object, unknown>()

/** Takes the values of an example's body for the members that have none yet; secret ones are left out. */
export function noteExamples(schema: unknown, value: unknown): void {
  if (!isRecord(schema) || schema['secret'] === true || value === undefined || value === null) return
  if (!exampleBySchema.has(schema)) exampleBySchema.set(schema, value)
  const { properties, items, anyOf } = schema
  if (Array.isArray(anyOf)) for (const one of anyOf) noteExamples(one, value)
  if (Array.isArray(value)) for (const element of value) noteExamples(items, element)
  else if (isRecord(value) && isRecord(properties))
    for (const [name, member] of Object.entries(value)) noteExamples(properties[name], member)
}

/** A changed copy of a schema has the same example. */
export function carryExample(schema: Schema, copy: Schema): void {
  if (exampleBySchema.has(schema)) exampleBySchema.set(copy, exampleBySchema.get(schema))
}

/** A value of the schema as JSON; undefined for those without an example, and for large ones. */
export function exampleOf(schema: Schema): string | undefined {
  const { examples } = schema
  const own: unknown = Array.isArray(examples) ? examples[0] : undefined
  const example = own ?? exampleBySchema.get(schema) ?? usual(schema)
  if (typeof example === 'object') return undefined
  return JSON.stringify(example)
}

const usualNight = '2027-04-15'
const usualAmount = 110

function usual({ type, minimum, night, decimal }: Schema): unknown {
  if (night === true) return usualNight
  if (decimal !== undefined) return usualAmount
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (types.includes('boolean')) return true
  if (types.includes('integer') || types.includes('number')) return Math.max(Number(minimum ?? 1), 1)
  return undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
