import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { projectFiles } from '../../scripts/project-files.ts'
import { root } from '../stage/files.ts'

/** Files that ARCHITECTURE.md names: by their path, or by the end of it. Patterns and folders are not files. */
test('every file that ARCHITECTURE.md names is there', () => {
  const text = readFileSync(resolve(root, 'ARCHITECTURE.md'), 'utf8')
  const named = [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|js|sql|md|sh))`/g)].map(([, name = '']) => name)
  assert.ok(named.length > 30, `${named.length} files`)
  const paths = projectFiles().map((path) => `/${path}`)
  const missing = named.filter((name) => !paths.some((path) => path.endsWith(`/${name}`)))
  assert.deepEqual(missing, [])
})
