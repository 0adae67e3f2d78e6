/**
 * Records the data and the answers of the present version for test/releases/releases.test.ts, which upgrades them with every later
 * version: `npm run record:release`, the last step before a release. Released ones are never recorded again.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeBackupFile } from '../src/backup/backup-file.ts'
import { ask, questionsAbout, type Recorded } from '../test/releases/answers.ts'
import { liveThrough } from '../test/releases/scenario.ts'
import { root } from '../test/stage/files.ts'

const [, version = ''] = /"version": "([^"]+)"/.exec(await readFile(join(root, 'package.json'), 'utf8')) ?? []
const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
if (!changelog.includes(`\n## ${version}, not released\n`))
  throw new Error(
    `CHANGELOG.md does not begin with "## ${version}, not released": a released version is never recorded again`,
  )

const folder = join(root, 'test', 'releases', version)
const { stage, callers } = await liveThrough()
try {
  const { url, storeAddress: address } = stage.gateway
  const recorded: Recorded = { callers, answers: [] }
  for (const question of await questionsAbout(url, callers))
    recorded.answers.push({ question, answer: await ask(url, callers, question) })
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  await writeBackupFile({ address, version, key: undefined }, join(folder, 'store.backup'))
  await writeFile(join(folder, 'answers.json.gz'), gzipSync(JSON.stringify(recorded), { level: 9 }))
  process.stdout.write(`Recorded ${recorded.answers.length} answers in ${folder}\n`)
} finally {
  await stage.stop()
}
