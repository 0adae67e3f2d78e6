/**
 * The package of this checkout, as it is installed: its programs start in a third of the time that those of the source
 * take, and are what people run. `npm run test:proof` builds it before the proofs, unless nothing has changed.
 */
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../../../scripts/build-console.ts'
import { buildPrograms } from '../../../scripts/build-programs.ts'
import { webFolder } from '../../../src/console-api/web/build.ts'
import { root } from '../files.ts'

const folder = join(root, 'node_modules/.cache/package')
const builtFrom = join(folder, 'built-from.txt')
/** What is published, but for what is built here. */
const published: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).files
const copied = ['package.json', ...entriesOf(published)]
const sources = [
  'src/**',
  'web/**',
  'scripts/build*.ts',
  'package-lock.json',
  ...copied.flatMap((name) => [name, `${name}/**`]),
]

function entriesOf(list: unknown): string[] {
  const names: readonly unknown[] = Array.isArray(list) ? list : []
  return names.filter(
    (name): name is string => typeof name === 'string' && name !== 'dist' && !name.startsWith('!'),
  )
}

async function buildPackage(): Promise<void> {
  const hash = hashOfSources()
  if (existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === hash) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await buildPrograms(join(folder, 'dist'))
  await buildConsole()
  cpSync(webFolder, join(folder, 'dist/console-web'), { recursive: true })
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(builtFrom, hash)
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  const found = globSync(sources, { cwd: root, withFileTypes: true, exclude: ['**/*.test.ts'] })
  for (const path of found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort())
    hash.update(path).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

await buildPackage()
process.stdout.write(folder)
