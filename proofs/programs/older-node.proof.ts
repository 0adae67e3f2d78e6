import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findHolder, findRunningPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { programsForTests, startBehindOlderNode } from '../../test/stage/programs/programs.ts'

/** The first Node on the PATH is often older than the service needs: it hands over to the one of the package. */

const { newFolder, track } = programsForTests()

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`${signal} to the command that an older Node runs ends the service and its PostgreSQL`, async () => {
    const dataDir = await newFolder()
    const command = track(startBehindOlderNode({ ARI_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' }))
    await command.printed(/ ready in /)
    const holder = await findHolder(dataDir)
    assert.notEqual(holder?.pid, command.child.pid, 'it was handed over')
    command.child.kill(signal)
    // Its output ends when the service has ended too.
    await command.ended
    assert.deepEqual([await findHolder(dataDir), await findRunningPostgres(dataDir)], [undefined, undefined])
  })
