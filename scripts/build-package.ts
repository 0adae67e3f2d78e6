/**
 * `build-package.ts client`: writes dist/ of packages/client, JavaScript and its types, without any part of
 * the service.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project-files.ts'
import { writeClientTypes } from './write-client-types.ts'

const [name = ''] = process.argv.slice(2)
const folder = join(root, 'packages', name)

if (name === 'client') await writeClientTypes()
rmSync(join(folder, 'dist'), { recursive: true, force: true })
const compiled = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder],
  // Not to stdout, where `npm pack --json` writes.
  { cwd: root, stdio: ['ignore', 2, 2] },
)
if (compiled.status === 0) rewriteTypes()
else process.exitCode = 1

/** The compiler rewrites the extensions of imports in JavaScript only. */
function rewriteTypes(): void {
  for (const path of globSync(join(folder, 'dist/*.d.ts'))) {
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(?<=from '\.\/[\w-]+)\.ts(?=')/g, '.js'))
  }
}
