import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentUser } from './os-users.ts'

const skip = process.getuid?.() === 0 ? false : 'becoming another user needs root'

test(
  'says what a user without a name needs, of systemd too, whose users have none without libnss-systemd',
  { skip },
  (t) => {
    try {
      process.seteuid?.(64_999)
    } catch {
      return t.skip('this root may not become another user')
    }
    try {
      assert.throws(currentUser, /no name on this machine.*\/etc\/passwd.*libnss-systemd.*DATABASE_URL/)
    } finally {
      process.seteuid?.(0)
    }
  },
)
