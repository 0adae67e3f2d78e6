import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { asAdmin, environOf, newTestDatabase, type TestAddress } from '../../test/stage/postgres.ts'
import { postgresProxy } from '../../test/stage/servers/postgres-proxy.ts'
import { dataFolder, startProgram } from '../../test/stage/programs/programs.ts'
import { mountSmallDisk } from '../../test/stage/crash/disk.ts'

/** Faults that an operator has to fix before the service can start: each gives one line, which says how. */

let database: Awaited<ReturnType<typeof newTestDatabase>>
let folder: Awaited<ReturnType<typeof dataFolder>>
before(async () => {
  database = await newTestDatabase()
  folder = await dataFolder()
})
after(async () => {
  await folder.remove()
  await database.drop()
})

async function startOf(environ: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await startProgram('serve', {
    PORT: '0',
    LOG_LEVEL: 'silent',
    ARI_DATA_DIR: folder.path,
    ...environ,
  }).ended
  assert.deepEqual([code, stdout, stderr.split('\n').length], [1, '', 2], stderr)
  return stderr
}

const changed = (address: Partial<TestAddress>): Record<string, string> =>
  environOf({ ...database.address, ...address })

test('unknown credentials', async () => {
  assert.match(
    await startOf(changed({ user: 'nobody_of_this_name' })),
    /^The service did not start: PostgreSQL at \S+ refuses these credentials \(.+\): correct the user and password in DATABASE_URL, or pg_hba.conf there$/m,
  )
})

test('a database that there is not', async () => {
  assert.match(
    await startOf(changed({ database: 'no_such' })),
    /^The service did not start: PostgreSQL at \S+ has no such database \(database "no_such" does not exist\): create it with createdb, or correct the name in DATABASE_URL$/m,
  )
})

test('a database that is read-only, alone and among several hosts', async () => {
  const { address, drop } = await newTestDatabase()
  try {
    await asAdmin(address, `alter database ${address.database} set default_transaction_read_only = on`)
    assert.match(
      await startOf(environOf(address)),
      /^The service did not start: The database at \S+ is read-only: name the primary in DATABASE_URL, or all hosts, .+$/m,
    )
    const several = environOf(address)['DATABASE_URL']?.replace('@localhost', '@localhost,otherhost') ?? ''
    assert.match(
      await startOf({ DATABASE_URL: several }),
      /^The service did not start: No host of localhost,otherhost accepts writes: promote one of them, or name the primary in DATABASE_URL$/m,
    )
  } finally {
    await drop()
  }
})

test('a database without a schema when starts must not migrate, until a step that only migrates', async () => {
  const { address, drop } = await newTestDatabase()
  const environ = environOf(address)
  try {
    const line =
      /^The service did not start: The database lacks \d+ migrations: .+, and ARI_MIGRATE is off: run "ari migrate" of this version first$/m
    assert.match(await startOf({ ...environ, ARI_MIGRATE: 'off' }), line)
    const only = { ...environ, PORT: '0', LOG_LEVEL: 'silent', ARI_MIGRATE: 'only' }
    for (const said of [/: applied 0001_\w+\.sql, /, /: nothing to do\n$/]) {
      const { code, stdout, stderr } = await startProgram('serve', only).ended
      assert.deepEqual([code, stderr], [0, ''])
      assert.match(stdout, said)
    }
    const served = startProgram('serve', { ...only, ARI_DATA_DIR: folder.path, ARI_MIGRATE: 'off' })
    await served.printed(/ready in/)
    served.child.kill('SIGTERM')
    assert.equal((await served.ended).code, 0)
  } finally {
    await drop()
  }
})

test('a user without the right to create tables', async () => {
  const role = `reader_${randomBytes(4).toString('hex')}`
  const { address, drop } = await newTestDatabase()
  await asAdmin(address, `create role ${role}`)
  try {
    // Every connection takes on the role: the test's PostgreSQL may admit only its own user.
    await asAdmin(address, `alter database ${address.database} set role = ${role}`)
    assert.equal(
      await startOf(environOf(address)),
      `The service did not start: User "${role}" may not create tables in the database at localhost: as the database's owner, grant create on schema public to "${role}"\n`,
    )
  } finally {
    await drop()
    await asAdmin(database.address, `drop role ${role}`)
  }
})

test('a PostgreSQL that is too old', async (context) => {
  const port = await oldServer(context)
  assert.equal(
    await startOf({ DATABASE_URL: `postgres://ari:hunter2@127.0.0.1:${port}/ari` }),
    `The service did not start: PostgreSQL 14.9 at 127.0.0.1:${port} is too old: upgrade it to version 15 to 18, or name another in DATABASE_URL\n`,
  )
})

test('a process with more patience waits for a slow database', async () => {
  const proxy = await postgresProxy()
  proxy.hold()
  const address = proxy.through(database.address)
  const service = startProgram('serve', {
    PORT: '0',
    LOG_LEVEL: 'silent',
    ARI_PATIENCE: '20',
    ...environOf(address),
  })
  // Otherwise the check at the start waits for five seconds.
  await wait(8_000)
  proxy.release()
  await service.printed(/ready in/)
  service.child.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
  await proxy.close()
})

test('a data folder that is mounted read-only', async (context) => {
  const disk = mountSmallDisk(256)
  if ('refused' in disk) return context.skip(`this user can't mount (${disk.refused})`)
  try {
    const environ = { PORT: '0', LOG_LEVEL: 'silent', ARI_DATA_DIR: `${disk.path}/data` }
    const running = startProgram('serve', environ)
    await running.printed(/ready/)
    running.child.kill('SIGTERM')
    assert.equal((await running.ended).code, 0)
    disk.makeReadOnly()
    assert.match(
      await startOf(environ),
      /^The service did not start: The data folder \S+ can't be used \(EROFS\): it is mounted read-only: remount it writable, or set ARI_DATA_DIR to another folder$/m,
    )
  } finally {
    disk.unmount()
  }
})

/** Answers the first connection's query as a PostgreSQL 14 would. */
async function oldServer(context: TestContext): Promise<number> {
  const message = (kind: string, ...parts: Buffer[]): Buffer => {
    const body = Buffer.concat(parts)
    const head = Buffer.alloc(5)
    head.write(kind)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const short = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
  const long = (value: number): Buffer => Buffer.concat([short(value >> 16), short(value & 65_535)])
  const columns = [
    { name: 'version', type: 25, value: '14.9' },
    { name: 'versionNumber', type: 23, value: '140009' },
    { name: 'isReadOnly', type: 16, value: 'f' },
    { name: 'pid', type: 23, value: '1' },
    { name: 'user', type: 25, value: 'ari' },
    { name: 'mayCreate', type: 16, value: 't' },
  ]
  const readyForQuery = message('Z', Buffer.from('I'))
  const fields = columns.map(({ name, type }) =>
    Buffer.concat([Buffer.from(`${name}\0`), long(0), short(0), long(type), short(8), long(0), short(0)]),
  )
  const values = columns.map(({ value }) => Buffer.concat([long(value.length), Buffer.from(value)]))
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', long(0)), message('K', long(1), long(2)), readyForQuery]))
      socket.on('data', (data) => {
        if (data[0] !== 'Q'.charCodeAt(0)) return
        const count = short(columns.length)
        socket.write(message('T', count, ...fields))
        socket.write(message('D', count, ...values))
        socket.write(Buffer.concat([message('C', Buffer.from('SELECT 1\0')), readyForQuery]))
      })
    })
  })
  context.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
