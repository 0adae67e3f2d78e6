/**
 * Writes packages/client/src/api.ts if it is missing or one of its sources has changed. Git doesn't track it:
 * every program that needs it (checks, tests, the demo, the package) calls this first.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project-files.ts'

const path = join(root, 'packages/client/src/api.ts')
/** The contract reaches far, so the sources are the whole service, and the packages it uses. */
const sources = ['src/**/*.ts', 'scripts/client-types.ts', 'package-lock.json']

export async function writeClientTypes(): Promise<void> {
  const firstLine = `// Written by scripts/write-client-types.ts, of sources ${hashOfSources()}.`
  if (existsSync(path) && readFileSync(path, 'utf8').startsWith(firstLine)) return
  const { clientTypes } = await import('./client-types.ts')
  // Two programs may write it at once: each file is complete, and they are identical.
  const written = `${path}.${process.pid}`
  writeFileSync(written, `${firstLine}\n${clientTypes()}`)
  renameSync(written, path)
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const source of globSync(sources, { cwd: root, exclude: ['**/*.test.ts'] }).sort()) {
    hash
      .update(source)
      .update('\0')
      .update(readFileSync(join(root, source)))
      .update('\0')
  }
  return hash.digest('hex')
}

if (import.meta.main) await writeClientTypes()
