import type { ReadValue } from './config-values.ts'
import { among, integerBetween, readBoolean, someOf } from './config-values.ts'

/** What a setting is made of. Everything that lists settings is made from these. */

export const roles = ['gateway', 'worker', 'console'] as const
export type Role = (typeof roles)[number]

/** In the terms of JSON Schema. */
type Schema = Readonly<{
  type?: 'string' | 'integer' | 'boolean' | readonly string[]
  enum?: readonly string[]
  minimum?: number
  maximum?: number
  anyOf?: readonly Schema[]
}>

export type Kind<Value> = { read: (text: string) => ReadValue<Value>; schema: Schema }

type Words = {
  /** What the documents say of the value without the setting, if it is not a fixed value. */
  otherwise?: string
  /** A value to show where there is no default. */
  example?: string
  /** Shown as a file in examples, and never written into the chart's values. */
  isSecret?: true
  /** The roles that use it; absent: all. */
  roles?: readonly Role[]
}

export type Setting<Value> = Kind<Value> &
  Words & {
    name: string
    /** The value without the setting. */
    usual: Value
    /** A sentence or two in Markdown, for a cell of a table. */
    meaning: string
  }

export function setting<Value, const Usual>(
  name: string,
  kind: Kind<Value>,
  usual: Usual,
  meaning: string,
  words: Words = {},
): Setting<Value | Usual> {
  return { name, ...kind, usual, meaning, ...words }
}

/** How the documents write a default that differs by environment. */
export const inProduction = (production: number | boolean, sandbox: number | boolean): string =>
  `\`${production}\` in production, else \`${sandbox}\``

export const text = <Value>(read: (text: string) => ReadValue<Value>): Kind<Value> => ({
  read,
  schema: { type: 'string' },
})

/** Where every text is valid. */
export const anyText: Kind<string> = text((value) => ({ value }))

export const integer = (minimum: number, maximum: number): Kind<number> => ({
  read: integerBetween(minimum, maximum),
  schema: { type: 'integer', minimum, maximum },
})

export const yesOrNo: Kind<boolean> = { read: readBoolean, schema: { type: 'boolean' } }

export const oneOf = <const Value extends string>(values: readonly Value[]): Kind<Value> => ({
  read: among(values),
  schema: { enum: values },
})

export const several = <const Value extends string>(values: readonly Value[]): Kind<readonly Value[]> => ({
  read: someOf(values),
  schema: { type: 'string' },
})

/** Access rules and port of the metrics. */
export type MetricsRules = {
  /** A separate port for the metrics alone; undefined: the service's port. */
  port: number | undefined
  /** Required as a bearer token; undefined: everybody who can reach the port may read the metrics. */
  token: string | undefined
}
