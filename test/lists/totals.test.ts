import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/contract.ts'

/** What an answer says of a stay's price. */

/** The members of all objects of a shape, each with its place. */
function* objectsOf(shape: unknown, place: string): Generator<{ place: string; members: string[] }> {
  if (Array.isArray(shape)) for (const one of shape) yield* objectsOf(one, place)
  else if (typeof shape === 'object' && shape !== null) {
    const { properties, items, anyOf, allOf } = Object(shape)
    if (properties) yield { place, members: Object.keys(properties) }
    for (const [name, member] of Object.entries(properties ?? {}))
      yield* objectsOf(member, `${place}/${name}`)
    yield* objectsOf([items, anyOf, allOf], place)
  }
}

test('wherever a total stands, it has the fees and all that a guest who stays pays', () => {
  const totals = Object.entries(routes)
    .flatMap(([name, { answer }]) => [...objectsOf(answer, name)])
    .filter(({ place }) => place.endsWith('/total'))
  assert.ok(totals.length > 20, 'totals are found')
  const short = totals.filter(
    ({ members }) => !members.includes('feesAtProperty') || !members.includes('allIn'),
  )
  assert.deepEqual(short, [])
})
