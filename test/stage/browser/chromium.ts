/**
 * The Chromium of the tests: the one that `ARI_TEST_CHROMIUM` names, or else the one among the dependencies. That is a
 * headless shell for Linux on x64, with the libraries that a bare system lacks; its fonts are among the dependencies too.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chromium, type Browser } from 'playwright-core'
import { root } from '../files.ts'
import { missing } from '../programs/programs.ts'

const parameters = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const cache = join(root, 'node_modules/.cache')
const chromeOfMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

export async function launchChromium(): Promise<Browser> {
  const { program, environ } = await find()
  try {
    return await chromium.launch({
      executablePath: program,
      args: parameters,
      env: { ...process.env, ...environ },
    })
  } catch (error) {
    throw new Error(`${program} doesn't start; ARI_TEST_CHROMIUM can name another Chromium`, { cause: error })
  }
}

async function find(): Promise<{ program: string; environ?: Record<string, string> }> {
  const named = process.env.ARI_TEST_CHROMIUM
  if (named !== undefined && named !== '') return { program: named }
  if (process.platform === 'darwin' && existsSync(chromeOfMac)) return { program: chromeOfMac }
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      `The dependencies have no Chromium for ${process.platform} on ${process.arch}: install one (Debian: apt-get install chromium) and name it, as ARI_TEST_CHROMIUM=/usr/bin/chromium`,
    )
  const folder = await unpacked()
  const libraries = join(folder, 'al2023/lib')
  await withSqlite(libraries)
  const { LD_LIBRARY_PATH: more } = process.env
  return {
    program: join(folder, 'chromium'),
    environ: {
      LD_LIBRARY_PATH: libraries + (more ? `:${more}` : ''),
      FONTCONFIG_FILE: join(import.meta.dirname, 'fonts.conf'),
      // Of fontconfig's cache.
      XDG_CACHE_HOME: cache,
    },
  }
}

/** Without the one library that neither the package nor a bare Debian has, the browser dies at the first page by TLS. */
async function withSqlite(libraries: string): Promise<void> {
  const env = { ...process.env, LD_LIBRARY_PATH: libraries }
  const { stdout } = await promisify(execFile)('ldd', [join(libraries, 'libsoftokn3.so')], { env })
  if (!/libsqlite3\S* => not found/.test(stdout)) return
  const why = await missing('/usr/lib/x86_64-linux-gnu/libsqlite3.so.0', 'libsqlite3-0')
  if (why !== undefined) throw new Error(`The Chromium of the dependencies needs SQLite: ${why}`)
}

/** The folder with the program and its libraries: unpacked once in a checkout, also when several processes ask at once. */
async function unpacked(): Promise<string> {
  const main = import.meta.resolve('@sparticuz/chromium')
  const { version } = JSON.parse(readFileSync(new URL('../package.json', main), 'utf8'))
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const unfinished = await mkdtemp(`${folder}-`)
  const archives = ['chromium.br', 'al2023.tar.br']
  // The package unpacks into the folder for temporary files, which is that of a process.
  const code = `import { inflate } from '${main}'; await Promise.all(process.argv.slice(1).map(inflate))`
  await promisify(execFile)(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      code,
      ...archives.map((name) => fileURLToPath(new URL(`../bin/${name}`, main))),
    ],
    { env: { ...process.env, TMPDIR: unfinished } },
  )
  // Whoever may read the checkout may run the tests.
  await promisify(execFile)('chmod', ['-R', 'a+rX', unfinished])
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true })
    if (!existsSync(folder)) throw error
  })
  return folder
}
