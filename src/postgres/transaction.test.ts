import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { openDatabase, type Queryable } from './postgres.ts'
import { transaction } from './transaction.ts'

const gateway = await gatewayForTests()
before(async () => {
  await gateway.db.query('create table line (id serial primary key, text text not null)')
})
beforeEach(() => gateway.db.query('delete from line'))

const write = (connection: Queryable, text: string | null): Promise<unknown> =>
  connection.query('insert into line (text) values ($1)', [text])

async function lines(db: Queryable = gateway.db): Promise<string[]> {
  const { rows } = await db.query<{ text: string }>('select text from line order by id')
  return rows.map(({ text }) => text)
}

/** Fails with a deadlock as long as `times.left` is positive. */
async function deadlocked(connection: Queryable, times: { left: number }): Promise<void> {
  if (times.left-- > 0) await connection.query(`do $$ begin raise deadlock_detected; end $$`)
}

describe('a transaction', () => {
  test('sends statements in the order in which they are begun, those that come last with the commit', async () => {
    const seen = await transaction(gateway.db, async (connection) => {
      connection.lastly((later) => write(later, 'third'))
      connection.lastly((later) => write(later, 'fourth'))
      const [held] = await connection.pipelined(() => [lines(connection)])
      const first = write(connection, 'first')
      const second = write(connection, 'second')
      await Promise.all([first, second])
      return [held, await lines(connection)]
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
      connection.lastly((later) => write(later, 'second'))
      connection.lastly((later) => write(later, null))
      connection.lastly((later) => write(later, 'third'))
    })
    await assert.rejects(failing, { code: '23502', column: 'text' })
    assert.deepEqual(await lines(), [])
  })

  test('is undone by the first of several statements that fails, and leaves a connection of use', async () => {
    const failing = transaction(gateway.db, async (connection) => {
      await connection.pipelined(() => [
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
        else connection.lastly((later) => deadlocked(later, times))
      })
      assert.equal(times.left, -1)
    }
    assert.deepEqual(await lines(), ['work', 'lastly'])
  })

  test('takes no statement after its commit', async () => {
    const late = transaction(gateway.db, async (connection) => {
      connection.lastly(async (later) => {
        await write(later, 'in time')
        await write(later, 'too late')
      })
    })
    await assert.rejects(late, /after the end of its transaction/)
    assert.deepEqual(await lines(), ['in time'])
  })

  test('commits nothing where a statement that comes last could not even be begun', async () => {
    const failing = transaction(gateway.db, async (connection) => {
      await write(connection, 'first')
      connection.lastly((later) => write(later, 'second'))
      connection.lastly(async () => {
        throw new RangeError('no such day')
      })
    })
    await assert.rejects(failing, /no such day/)
    assert.deepEqual(await lines(), [])
  })

  test('takes no statement after it was undone: its connection is somebody else’s by then', async () => {
    let left: Promise<unknown> | undefined
    const failing = transaction(gateway.db, async (connection) => {
      const branch = async (): Promise<void> => {
        await lines(connection)
        await wait(20)
        await write(connection, 'stray')
      }
      left = assert.rejects(branch(), /after the end of its transaction/)
      await lines(connection)
      throw new RangeError('given up')
    })
    await assert.rejects(failing, /given up/)
    await (left ?? assert.fail())
    assert.deepEqual(await lines(), [])
  })

  test('says of several that fail what the first failed for, however the others are wrapped', async () => {
    const wrapped = async (connection: Queryable): Promise<unknown> => {
      const ask = async (): Promise<unknown> => await connection.query('select no_such_column from line')
      return await ask()
    }
    const failing = transaction(gateway.db, async (connection) => {
      await connection.pipelined(() => [wrapped(connection), lines(connection)])
    })
    await assert.rejects(failing, { code: '42703' })
    const lastly = transaction(gateway.db, async (connection) => {
      connection.lastly(wrapped)
      connection.lastly((later) => write(later, 'second'))
    })
    await assert.rejects(lastly, { code: '42703' })
  })

  test('without statements sends nothing to PostgreSQL', async () => {
    assert.equal(await transaction(gateway.db, async () => 'done'), 'done')
  })
})

test('statements together are answered each, and a failure leaves connections of use', async () => {
  const [held, one] = await gateway.db.pipelined((connection) => [
    lines(connection),
    connection.query<{ one: number }>('select 1 as one'),
  ])
  assert.deepEqual([held, one.rows], [[], [{ one: 1 }]])
  const failing = gateway.db.pipelined((connection) => [
    connection.query('select no_such_column from line'),
    lines(connection),
  ])
  await assert.rejects(failing, { code: '42703' })
  assert.deepEqual(await lines(), [])
})

test('a connection that PostgreSQL ended is not used again', async () => {
  const one = openDatabase(gateway.db.address, { warn: () => {} }, { connectionsMax: 1, patience: 100 })
  try {
    const ended = assert.rejects(
      one.pipelined((connection) => [connection.query('select pg_sleep(10)')]),
      { code: '57P01' },
    )
    const waiting = one.query<{ one: number }>('select 1 as one')
    for (let killed = 0; killed === 0; await wait(5)) {
      const { rowCount } = await gateway.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query = 'select pg_sleep(10)' and state = 'active'`,
      )
      killed = rowCount ?? 0
    }
    await ended
    assert.deepEqual((await waiting).rows, [{ one: 1 }])
  } finally {
    await one.close()
  }
})
