/**
 * Completes docs/samples/ari-digest-vectors.json: a vector of a title and nights gets its lines and hashes, as
 * the client computes them. A complete one stays as it is, because it checks the client.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredNight } from '../packages/client/src/digest.ts'
import { root } from './project-files.ts'
import { writeClientTypes } from './write-client-types.ts'

const path = join(root, 'docs/samples/ari-digest-vectors.json')

await writeClientTypes()
// It reads what has just been written.
const { hotelDigests, nightLines } = await import('../packages/client/src/digest.ts')

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A file of our own; a wrong night fails here.
const vectors = JSON.parse(readFileSync(path, 'utf8')) as { title: string; nights: StoredNight[] }[]
const completed = vectors.map(async (vector) => {
  if ('lines' in vector) return vector
  const { hotel, products, months } = await hotelDigests(vector.nights)
  process.stdout.write(`completed: ${vector.title}\n`)
  return { ...vector, lines: vector.nights.map(nightLines), months, products, hotel }
})
writeFileSync(path, JSON.stringify(await Promise.all(completed)))
const { status } = spawnSync('oxfmt', ['--write', path], { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
