import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shippedCancelCodes as cancelCodes } from './cancel-codes.ts'
import { mealPlans, roomTypes } from './shipped-lists.ts'

const maxCodeCharacters = 10
const maxNameCharacters = 40
const maxDescriptionCharacters = 80

function repeated(words: readonly string[]): string[] {
  const folded = words.map((word) => word.toLowerCase())
  return folded.filter((word, index) => folded.indexOf(word) !== index)
}

test('no room type, meal plan or cancellation code appears twice, in any letter case', () => {
  assert.deepEqual(repeated(roomTypes.map(({ name }) => name)), [])
  assert.deepEqual(repeated(mealPlans.map(({ code }) => code)), [])
  assert.deepEqual(repeated(mealPlans.map(({ name }) => name)), [])
  assert.deepEqual(repeated(cancelCodes.map(({ code }) => code)), [])
  assert.deepEqual(repeated(cancelCodes.map(({ description }) => description)), [])
})

test('codes are short and upper case, names and descriptions are well formed', () => {
  const codes = [...mealPlans, ...cancelCodes].map(({ code }) => code)
  assert.deepEqual(
    codes.filter((code) => !/^[A-Z0-9]+\+?$/.test(code) || code.length > maxCodeCharacters),
    [],
  )
  const names = [...roomTypes, ...mealPlans].map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => !/^[A-Z][A-Za-z, -]+$/.test(name) || name.length > maxNameCharacters),
    [],
  )
  const descriptions = [...roomTypes, ...mealPlans, ...cancelCodes].map(({ description }) => description)
  assert.deepEqual(
    descriptions.filter((text) => text.length > maxDescriptionCharacters || !/^[A-Z].*[^. ]$/.test(text)),
    [],
  )
})

test('the codes that every supplier uses are there', () => {
  const mealPlanCodes = new Set<string>(mealPlans.map(({ code }) => code))
  assert.deepEqual(
    ['RO', 'BB', 'HB', 'FB', 'AI', 'UAI', 'SC'].filter((code) => !mealPlanCodes.has(code)),
    [],
  )
  const roomTypeNames = new Set<string>(roomTypes.map(({ name }) => name))
  const usual = [
    'Single',
    'Double',
    'Twin',
    'Triple',
    'Quad',
    'Family',
    'Suite',
    'Studio',
    'Apartment',
    'Villa',
  ]
  assert.deepEqual(
    usual.filter((name) => !roomTypeNames.has(name)),
    [],
  )
  const policyCodes = new Set<string>(cancelCodes.map(({ code }) => code))
  assert.deepEqual(
    ['FLEX', 'NRF'].filter((code) => !policyCodes.has(code)),
    [],
  )
})
