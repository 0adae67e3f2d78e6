import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedMap } from './bounded-map.ts'

const bytesOf = (text: string): number => text.length

test('the oldest entries make room for a new one, by their sizes', () => {
  const map = new BoundedMap<number, string>(10, bytesOf)
  map.set(1, 'aaa')
  map.set(2, 'bbb')
  map.set(3, 'cccc')
  assert.deepEqual(
    [1, 2, 3].map((key) => map.get(key)),
    ['aaa', 'bbb', 'cccc'],
  )
  map.set(4, 'ddddd')
  assert.deepEqual(
    [1, 2, 3, 4].map((key) => map.get(key)),
    [undefined, undefined, 'cccc', 'ddddd'],
  )
})

test('a value that is replaced frees its bytes and becomes the youngest', () => {
  const map = new BoundedMap<number, string>(10, bytesOf)
  map.set(1, 'aaaaa')
  map.set(2, 'bbbb')
  map.set(1, 'a')
  map.set(3, 'ccccc')
  assert.deepEqual(
    [1, 2, 3].map((key) => map.get(key)),
    ['a', 'bbbb', 'ccccc'],
  )
  map.set(4, 'dddd')
  assert.deepEqual(
    [1, 2, 3, 4].map((key) => map.get(key)),
    ['a', undefined, 'ccccc', 'dddd'],
  )
})

test('deleted and cleared entries free their bytes', () => {
  const map = new BoundedMap<number, string>(10, bytesOf)
  map.set(1, 'aaaaa')
  map.set(2, 'bbbbb')
  map.delete(1)
  map.delete(7)
  map.set(3, 'ccccc')
  assert.deepEqual(
    [1, 2, 3].map((key) => map.get(key)),
    [undefined, 'bbbbb', 'ccccc'],
  )
  map.clear()
  map.set(4, 'dddddddddd')
  assert.deepEqual(
    [2, 3, 4].map((key) => map.get(key)),
    [undefined, undefined, 'dddddddddd'],
  )
})

test('a value that is too large is not stored', () => {
  const map = new BoundedMap<number, string>(10, bytesOf)
  map.set(1, 'aaaaaaaaaaa')
  assert.equal(map.get(1), undefined)
  map.set(2, 'bbbbbbbbbb')
  assert.equal(map.get(2), 'bbbbbbbbbb')
})
