import { Ajv } from 'ajv'
import { parseNight } from '../../base/calendar.ts'
import { holdsCardNumber } from '../../base/card-number.ts'
import { blank, notInCodes, unprintable, unprintableInLines } from './characters.ts'

const decimalText = /^-?(?:0|[1-9]\d{0,17})(?:\.\d{1,12})?$/

/** Stops at the first problem. */
export const ajvFirst = withOwnKeywords({ allErrors: false })
/** Finds every problem. */
export const ajvAll = withOwnKeywords({ allErrors: true })

function withOwnKeywords(options: { allErrors: boolean }): Ajv {
  const ajv = new Ajv({
    ...options,
    verbose: true,
    strict: true,
    allowUnionTypes: true,
    coerceTypes: false,
    // Halves the time to compile; V8 optimizes the validators by itself.
    code: { optimize: false },
    // The compiler knows that they are schemas, and `strict` finds what it doesn't.
    validateSchema: false,
  })
  ajv.addVocabulary(['errors', 'secret', 'form', 'alsoCalled', 'emptyIsAbsent', 'ignored', 'readAs'])
  // For readers of the documents; what requests must look like is checked by the keywords below.
  for (const format of ['date', 'date-time', 'uuid']) ajv.addFormat(format, true)
  ajv.addKeyword({
    keyword: 'printable',
    type: 'string',
    schemaType: 'string',
    validate: (kind: unknown, value: string) => !notIn(kind).test(value),
  })
  ajv.addKeyword({
    keyword: 'notBlank',
    type: 'string',
    schemaType: 'boolean',
    validate: (_on: unknown, value: string) => value === '' || !blank.test(value),
  })
  ajv.addKeyword({
    keyword: 'withoutCards',
    type: 'string',
    schemaType: 'boolean',
    validate: (_on: unknown, value: string) => !holdsCardNumber(value),
  })
  ajv.addKeyword({
    keyword: 'night',
    type: 'string',
    schemaType: 'boolean',
    validate: (_on: unknown, value: string) => parseNight(value) !== undefined,
  })
  ajv.addKeyword({
    keyword: 'decimal',
    type: ['number', 'string'],
    schemaType: 'string',
    validate: (range: unknown, value: number | string) =>
      (typeof value === 'number' || decimalText.test(value)) && (range === 'any' || Number(value) >= 0),
  })
  return ajv
}

function notIn(kind: unknown): RegExp {
  if (kind === 'code') return notInCodes
  return kind === 'lines' ? unprintableInLines : unprintable
}
