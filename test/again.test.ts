import assert from 'node:assert/strict'
import { test } from 'node:test'
import { againAlone } from './again.ts'
import { testFiles } from './stage/files.ts'

test('what is red beside others runs again, but for proofs in which chance decides', () => {
  const page = 'proofs/whole-console/shell.proof.ts'
  const kill = testFiles('proof').find((file) => file.startsWith('proofs/kills/')) ?? ''
  assert.deepEqual(againAlone([page]), [page])
  assert.deepEqual(againAlone([page, kill]), [])
  assert.deepEqual(againAlone(Array.from({ length: 7 }, () => page)), [])
})
