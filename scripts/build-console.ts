/**
 * `npm run build:console`: builds the web application of web/ into dist/console-web, compressed for
 * transfer; does nothing if it is there already. The service also starts it, in a checkout that has none yet.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { builtFromFile, hashOfBuiltWeb, hashOfWebSources, webFolder } from '../src/console-api/web/build.ts'

const root = resolve(import.meta.dirname, '..')
const brotliQuality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/** Returns whether it had to be built. */
export async function buildConsole(): Promise<boolean> {
  const hash = await hashOfWebSources()
  if (hash === undefined) throw new Error('There are no sources of the console')
  if ((await hashOfBuiltWeb()) === hash) return false
  const built = `${webFolder}.${process.pid}`
  try {
    await build({
      configFile: join(root, 'web/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: built, emptyOutDir: true },
    })
    await compress(join(built, 'assets'))
    await writeFile(join(built, builtFromFile), hash)
    await replace(webFolder, built)
  } finally {
    await rm(built, { recursive: true, force: true })
  }
  return true
}

/** Fonts and pictures are compressed already. */
async function compress(folder: string): Promise<void> {
  const plainOnly = /\.(?:woff2|png)$/
  for (const name of await readdir(folder)) {
    if (plainOnly.test(name)) continue
    const path = join(folder, name)
    const plain = await readFile(path)
    await writeFile(`${path}.br`, await promisify(brotliCompress)(plain, brotliQuality))
    await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }))
  }
}

/** Two programs may build at once: the last one's folder stays, and both are complete. */
async function replace(folder: string, built: string): Promise<void> {
  const old = `${built}.old`
  await mkdir(resolve(folder, '..'), { recursive: true })
  await rename(folder, old).catch(() => {})
  await rename(built, folder).catch(async (error: unknown) => {
    // Another process has put its folder there meanwhile, built from the same sources.
    if ((await hashOfBuiltWeb()) === undefined) throw error
  })
  await rm(old, { recursive: true, force: true })
}

if (import.meta.main) {
  const startedMs = performance.now()
  const isNew = await buildConsole()
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  // Not to stdout, where `npm pack --json` writes.
  process.stderr.write(isNew ? `The console is built (${seconds} s)\n` : 'The console is built already\n')
}
