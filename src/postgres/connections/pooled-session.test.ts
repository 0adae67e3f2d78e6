import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { PooledSession } from './pooled-session.ts'

const answer: pg.QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] }

/** A session, and the texts of the statements that it sent. */
function openSession(): { run: (text: string) => Promise<pg.QueryResult>; sent: string[] } {
  const session = new PooledSession({ keeps: 'nothing' }, { statement_timeout: '1s' })
  const sent: string[] = []
  const send = async (query: string | pg.QueryConfig): Promise<pg.QueryResult> => {
    sent.push(typeof query === 'string' ? query : query.text)
    return answer
  }
  return { run: async (text) => session.run(send, text), sent }
}

const begin = "begin isolation level read committed; set local statement_timeout = '1s'"

test('a transaction begins with the session’s settings, and a statement without one is one', async () => {
  const { run, sent } = openSession()
  for (const text of [
    'begin; set local role r',
    'select 1',
    'savepoint s',
    'rollback to savepoint s',
    'commit',
  ])
    await run(text)
  await run('select 2')
  assert.deepEqual(sent, [
    `${begin}; set local role r`,
    'select 1',
    'savepoint s',
    'rollback to savepoint s',
    'commit',
    begin,
    'select 2',
    'commit',
  ])
})

test('any other spelling of a transaction’s beginning or end is refused, and nothing is sent', async () => {
  const { run, sent } = openSession()
  const spellings = ['BEGIN', ' begin', 'begin isolation level serializable', 'start transaction', 'COMMIT']
  for (const text of [
    ...spellings,
    'commit;',
    'end',
    'rollback work',
    'abort',
    '/* a\n b */ begin',
    '-- a\ncommit',
    'begin; select 1; commit',
  ])
    await assert.rejects(run(text), /is spelled begin, commit and rollback/)
  assert.deepEqual(sent, [])
})
