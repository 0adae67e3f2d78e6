import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { startGateway, type TestGateway } from '../../test/harness.ts'
import { transaction, type Queryable } from './postgres.ts'

let gateway: TestGateway
before(async () => {
  gateway = await startGateway()
  await gateway.db.query('create table line (id serial primary key, text text not null)')
})
beforeEach(() => gateway.db.query('delete from line'))
after(() => gateway.stop())

const write = (connection: Queryable, text: string | null): Promise<unknown> =>
  connection.query('insert into line (text) values ($1)', [text])

async function lines(db: Queryable = gateway.db): Promise<string[]> {
  const { rows } = await db.query<{ text: string }>('select text from line order by id')
  return rows.map(({ text }) => text)
}

/** Fails as a deadlock does, as often as told. */
async function deadlocked(connection: Queryable, times: { left: number }): Promise<void> {
  if (times.left-- > 0) await connection.query(`do $$ begin raise deadlock_detected; end $$`)
}

describe('a transaction', () => {
  test('sends statements in the order in which they are begun, those that come last with the commit', async () => {
    const seen = await transaction(gateway.db, async (connection) => {
      connection.lastly(() => write(connection, 'third'))
      connection.lastly(() => write(connection, 'fourth'))
      const [before] = await connection.together(() => [lines(connection), undefined])
      const first = write(connection, 'first')
      const second = write(connection, 'second')
      await Promise.all([first, second])
      return [before, await lines(connection)]
    })
    assert.deepEqual(seen, [[], ['first', 'second']])
    assert.deepEqual(await lines(), ['first', 'second', 'third', 'fourth'])
  })

  test('keeps the order of statements that open it without waiting for each other', async () => {
    await transaction(gateway.db, (connection) =>
      Promise.all(['first', 'second', 'third'].map((text) => write(connection, text))),
    )
    assert.deepEqual(await lines(), ['first', 'second', 'third'])
  })

  test('is undone whole by a statement that fails beside the commit, and says which it was', async () => {
    const failing = transaction(gateway.db, async (connection) => {
      await write(connection, 'first')
      connection.lastly(() => write(connection, 'second'))
      connection.lastly(() => write(connection, null))
      connection.lastly(() => write(connection, 'third'))
    })
    await assert.rejects(failing, { code: '23502', column: 'text' })
    assert.deepEqual(await lines(), [])
  })

  test('is undone by the first of several statements that fails, and leaves a connection of use', async () => {
    const failing = transaction(gateway.db, async (connection) => {
      await connection.together(() => [
        lines(connection),
        connection.query('select no_such_column from line'),
        lines(connection),
      ])
    })
    await assert.rejects(failing, { code: '42703' })
    await Promise.all(Array.from({ length: 30 }, () => write(gateway.db, 'after')))
    assert.equal((await lines()).length, 30)
  })

  test('is tried again after a deadlock, beside the commit too', async () => {
    for (const place of ['work', 'lastly']) {
      const times = { left: 2 }
      await transaction(gateway.db, async (connection) => {
        await write(connection, place)
        if (place === 'work') await deadlocked(connection, times)
        else connection.lastly(() => deadlocked(connection, times))
      })
      assert.equal(times.left, -1)
    }
    assert.deepEqual(await lines(), ['work', 'lastly'])
  })

  test('takes no statement after its commit', async () => {
    const late = transaction(gateway.db, async (connection) => {
      connection.lastly(async () => {
        await write(connection, 'in time')
        await write(connection, 'too late')
      })
    })
    await assert.rejects(late, /after the commit/)
    assert.deepEqual(await lines(), ['in time'])
  })

  test('of which nothing is asked asks nothing of PostgreSQL', async () => {
    assert.equal(await transaction(gateway.db, async () => 'done'), 'done')
  })
})

test('statements together are answered each, and a failure leaves connections of use', async () => {
  const [held, one] = await gateway.db.together((connection) => [
    lines(connection),
    connection.query<{ one: number }>('select 1 as one'),
  ])
  assert.deepEqual([held, one.rows], [[], [{ one: 1 }]])
  const failing = gateway.db.together((connection) => [
    connection.query('select no_such_column from line'),
    lines(connection),
  ])
  await assert.rejects(failing, { code: '42703' })
  assert.deepEqual(await lines(), [])
})
