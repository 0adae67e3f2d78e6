/** How a supervisor starts a first service and asks for its health: `ARI_BOOTSTRAP_FILE`, `ari health`. */
import assert from 'node:assert/strict'
import { stat, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { client } from '../../test/stage/harness.ts'
import { programsForTests, runAri, startProgram } from '../../test/stage/programs/programs.ts'
import { expectOk, storyHotel } from '../../test/stage/story.ts'

const { newFolder, track } = programsForTests()

test('the first secrets go to a file for its owner alone, and health says what the service says', async () => {
  const data = await newFolder()
  const file = join(dirname(data), 'first.json')
  const settings = { ARI_DATA_DIR: data, PORT: '0', ARI_BOOTSTRAP_FILE: file }
  const none = await runAri(settings, 'health')
  assert.deepEqual([none.code, none.stdout], [1, ''])
  const service = track(startProgram('serve', settings))
  const printed = await service.printed(/Its first key, token and sign-in link are in /)
  assert.doesNotMatch(printed, /ari_(?:sbx|pt)_|sign-in\?|#/)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const { apiKey, platformToken, signInLink } = JSON.parse(await readFile(file, 'utf8'))
  assert.ok(platformToken.length > 20 && signInLink.startsWith('http'))
  const url = /at (http:\S+)/.exec(printed)?.[1] ?? ''
  expectOk(await client(url, { 'x-api-key': apiKey }).post('/push/hotels', [storyHotel()]))
  const [live, ready] = [await runAri(settings, 'health'), await runAri(settings, 'health', '--ready')]
  assert.deepEqual([live.code, live.stdout, ready.code, ready.stdout], [0, 'ok\n', 0, 'ready\n'])
  service.child.kill('SIGTERM')
  await service.ended
  const port = { ...settings, PORT: new URL(url).port }
  assert.match((await runAri(port, 'health')).stderr, /^error: http:\S+\/livez does not answer\n$/)
})

test('where only the console runs, its first sign-in link goes to the file too', async () => {
  const data = await newFolder()
  const file = join(dirname(data), 'link.json')
  const settings = { ARI_DATA_DIR: data, PORT: '0', ARI_BOOTSTRAP_FILE: file, ARI_ROLES: 'console' }
  const service = track(startProgram('serve', settings))
  const printed = await service.printed(/The sign-in link of a first admin is in /)
  assert.doesNotMatch(printed, /sign-in\?|#/)
  const { signInLink, ...others } = JSON.parse(await readFile(file, 'utf8'))
  assert.ok(signInLink.startsWith('http'))
  assert.deepEqual(others, {})
  service.child.kill('SIGTERM')
  await service.ended
})

test('a file that is there already stops the first start, and no secret is made', async () => {
  const data = await newFolder()
  const file = join(dirname(data), 'taken.json')
  await writeFile(file, 'mine')
  const settings = { ARI_DATA_DIR: data, PORT: '0', ARI_BOOTSTRAP_FILE: file }
  const { code, stderr } = await track(startProgram('serve', settings)).ended
  assert.equal(code, 1)
  assert.match(stderr, /The first key can't be written to ARI_BOOTSTRAP_FILE, so none was created: remove/)
  assert.equal(await readFile(file, 'utf8'), 'mine')
  assert.equal((await runAri(settings, 'supplier', 'list', '--json')).stdout, '[]\n')
})
