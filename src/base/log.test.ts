import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loggedPath } from './log.ts'

test('of a path that is no route a log line has only where it begins, and never a key or a card', () => {
  const told = [
    '/nosuch/ari_sbx_0123456789',
    '/v1/nosuch/4111111111111111/cvv/123?key=ari_sbx_0',
    '/console/api/sign-in/some-link-token',
    '/push',
    '/4111111111111111',
    '/v1/4111111111111111',
    '/ari_sbx_0123456789',
    '/',
    '//',
  ].map(loggedPath)
  assert.deepEqual(told, [
    '/nosuch',
    '/v1/nosuch',
    '/console/api/sign-in',
    '/push',
    'none',
    'none',
    'none',
    'none',
    'none',
  ])
})
