/**
 * Writes dist/, which the npm package contains because Node runs no TypeScript below node_modules: every file
 * of src/ at its place, so that paths relative to a file (to data beside it, to db/migrations) are valid in
 * both. Also the console's web application, which a checkout builds on its first start.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { buildConsole } from './build-console.ts'

const root = resolve(import.meta.dirname, '..')
const dist = resolve(root, 'dist')

rmSync(dist, { recursive: true, force: true })
const compiled = spawnSync(
  process.execPath,
  [resolve(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
  // Not to stdout, where `npm pack --json` writes.
  { cwd: root, stdio: ['ignore', 2, 2] },
)
if (compiled.status === 0) {
  copyData()
  await buildConsole()
} else process.exitCode = 1

function copyData(): void {
  const data = globSync('src/**/*', { cwd: root, withFileTypes: true, exclude: ['src/**/*.ts'] })
  for (const entry of data.filter((found) => found.isFile())) {
    const source = resolve(entry.parentPath, entry.name)
    cpSync(source, resolve(dist, relative(resolve(root, 'src'), source)))
  }
}
