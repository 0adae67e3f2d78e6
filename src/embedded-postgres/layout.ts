/** The locations of the embedded PostgreSQL's files, and the operating system user that it runs as. */
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, lchown, lstat, mkdir, readdir, realpath, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeFolders } from './make-folders.ts'
import { currentUser, ownAccount, ownServerUser, userNamed } from './os-users.ts'
import { endProcessesOf, type OsUser } from './processes.ts'

export type Layout = {
  /** Belongs to the service: contains the lock, the configuration and the server's folders. */
  stateDir: string
  /** PostgreSQL's data folder, which exists after the first start. */
  clusterDir: string
  serviceUser: OsUser
  /** Differs from the service's user only if that is root, which PostgreSQL refuses. */
  serverUser: OsUser
  notes: string[]
}

/** For root's files that PostgreSQL, which doesn't run as root, can't reach elsewhere. */
export const sharedDir = '/var/lib/ari-gateway'

export const port = 5432
// macOS allows 103 bytes, Linux 107.
const socketPathBytesMax = 103
/** An earlier server may still be running on data whose owner is about to change. */
const orphanShutdownMs = 6_000
const noOwnAccount = `other programs that run as nobody can read the data, because no user ${ownAccount} could be created: create one (useradd --system ${ownAccount}) and restart the service`

/** The data of an upgrade that is complete, until they take the place of `cluster` (swap.ts). */
export const upgradedName = 'cluster.upgraded'

/** Decides the location of the data, the same at every start, and creates the folder. */
export async function chooseLayout(dataDir: string): Promise<Layout> {
  const serviceUser = currentUser()
  const { here, shared } = await candidates(dataDir).catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw cannotUse(dataDir, error)
    try {
      makeFolders(dataDir, 0o700)
    } catch (cause) {
      throw cannotUse(dataDir, cause)
    }
    return candidates(dataDir)
  })
  const layout =
    serviceUser.uid === 0
      ? await chooseLayoutOfRoot(here, shared, serviceUser)
      : await chooseLayoutOfUser(here, shared, serviceUser)
  const { stateDir, serverUser } = layout
  try {
    const isOfServer = ((await ownerOf(stateDir)) ?? serviceUser.uid) === serverUser.uid
    // The server's group may pass through root's own folder, but not list it.
    await makeFolder(stateDir, isOfServer ? 0o700 : 0o710, isOfServer ? serverUser : rootFor(serverUser))
  } catch (error) {
    throw cannotUse(stateDir, error)
  }
  return layout
}

async function chooseLayoutOfUser(here: string, shared: string, serviceUser: OsUser): Promise<Layout> {
  const isHere = await hasCluster(here)
  // Only root creates this folder, and an ordinary user can't look into it.
  if (!isHere && (await ownerOf(shared)) !== undefined) {
    throw new Error(
      `The data for ${here} is in ${shared}, because the service was first started as root: start it as root, or move that folder's "cluster" to ${here} and give it to ${serviceUser.name}`,
    )
  }
  return layoutAt(here, serviceUser, serviceUser, [])
}

async function chooseLayoutOfRoot(here: string, shared: string, serviceUser: OsUser): Promise<Layout> {
  const isHere = await hasCluster(here)
  const isShared = !isHere && (await hasCluster(shared))
  const stateOwner = await ownerOf(isShared ? shared : here)
  // An ordinary user's data stay theirs, so that their own service can start again afterwards.
  const isOfUser = stateOwner !== undefined && stateOwner !== 0
  const serverUser = isOfUser ? userNamed(String(stateOwner)) : (ownServerUser() ?? userNamed('nobody'))
  const where = `PostgreSQL runs as ${serverUser.name}, because it refuses to run as root`
  const notes = serverUser.name === 'nobody' ? [`${where}; ${noOwnAccount}`] : [where]
  await openToServer(join(here, '..'), serverUser)
  if (isHere) {
    if (canReach(join(here, '..'), serverUser)) return layoutAt(here, serviceUser, serverUser, notes)
    throw new Error(
      `PostgreSQL can't run as root, and ${serverUser.name}, which it runs as, can't reach its data in ${here}: open the folders above to it (chmod o+x), or set ARI_DATA_DIR or DATABASE_URL`,
    )
  }
  if (!isShared && canReach(join(here, '..'), serverUser))
    return layoutAt(here, serviceUser, serverUser, notes)
  await makeFolder(sharedDir, 0o755)
  const why = `its data is in ${shared}, because ${serverUser.name} could not reach ${here}`
  return layoutAt(shared, serviceUser, serverUser, [...notes, `PostgreSQL: ${why}`])
}

function layoutAt(stateDir: string, serviceUser: OsUser, serverUser: OsUser, notes: string[]): Layout {
  return { stateDir, clusterDir: join(stateDir, 'cluster'), serviceUser, serverUser, notes }
}

/** Root, with the group of PostgreSQL's user. */
function rootFor({ gid }: OsUser): OsUser {
  return { name: 'root', uid: 0, gid }
}

/** The entries of a data folder that contains nothing but our own files. */
const ownEntry = /^(?:compile-cache|postgres|(?:gateway|console)\.(?:url|lock)(?:-journal)?)$/

/** If only root can enter the data folder, and it has only our own files, opens it to PostgreSQL's group. */
async function openToServer(dataDir: string, serverUser: OsUser): Promise<void> {
  const { uid, mode } = await lstat(dataDir)
  if (uid !== 0 || (mode & 0o077) !== 0) return
  if (!(await readdir(dataDir)).every((entry) => ownEntry.test(entry))) return
  await makeFolder(dataDir, 0o710, rootFor(serverUser))
}

/**
 * Gives root's data to PostgreSQL's user if another user owns them: they come from another machine, or from
 * before that user existed. The folder itself goes last, so that an interrupted change is repeated.
 */
export async function giveDataToServer({
  stateDir,
  clusterDir,
  serviceUser,
  serverUser,
}: Layout): Promise<void> {
  if (serviceUser.uid !== 0 || (await ownerOf(stateDir)) !== 0) return
  const owner = await ownerOf(clusterDir)
  if (owner === undefined || owner === serverUser.uid) return
  await endProcessesOf(clusterDir, orphanShutdownMs)
  const entries = await readdir(clusterDir, { recursive: true })
  for (const entry of entries) await lchown(join(clusterDir, entry), serverUser.uid, serverUser.gid)
  await lchown(clusterDir, serverUser.uid, serverUser.gid)
}

/** Both possible locations of this folder's data. Fails with ENOENT if the folder doesn't exist. */
export async function candidates(dataDir: string): Promise<{ here: string; shared: string }> {
  const real = await realpath(resolve(dataDir))
  return { here: join(real, 'postgres'), shared: join(sharedDir, shortHash(real)) }
}

/** The folder of the socket, closed to all other users; short enough for the operating system. */
export async function makeSocketFolder(layout: Layout): Promise<string> {
  const own = join(layout.stateDir, 'socket')
  if (fits(own)) {
    await makeFolder(own, 0o700, layout.serverUser)
    return own
  }
  // Root's TMPDIR may be closed to the server; /tmp isn't.
  const parent =
    layout.serviceUser.uid === 0 || !fits(join(tmpdir(), 'ari-0123456789abcdef')) ? '/tmp' : tmpdir()
  const folder = join(parent, `ari-${shortHash(layout.stateDir)}`)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  // Anybody can create folders there: reject one that another user may have prepared or can access.
  const found = await lstat(folder)
  const isOurs = found.uid === layout.serverUser.uid || found.uid === layout.serviceUser.uid
  if (!found.isDirectory() || !isOurs || (found.mode & 0o777) !== 0o700) {
    throw new Error(
      `${folder}, needed for PostgreSQL's socket because the path of the data folder is too long, was created by another user or is open to others: remove it, or set ARI_DATA_DIR to a shorter path`,
    )
  }
  if (found.uid !== layout.serverUser.uid) await chown(folder, layout.serverUser.uid, layout.serverUser.gid)
  return folder
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= socketPathBytesMax
}

/** Creates a folder, or gives an existing one this mode and, for root, this owner. */
export async function makeFolder(folder: string, mode: number, owner?: OsUser): Promise<void> {
  makeFolders(folder, mode)
  const found = await lstat(folder)
  if ((found.mode & 0o777) !== mode) await chmod(folder, mode)
  if (!owner) return
  const isTheirs = found.uid === owner.uid && (owner.uid !== 0 || found.gid === owner.gid)
  if (!isTheirs) await chown(folder, owner.uid, owner.gid)
}

/** Replaces a whole state file. Root's is readable by the server's group, which may pass the folder. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}`
  const folder = await lstat(join(path, '..'))
  const mode = folder.uid === 0 ? 0o640 : 0o600
  await writeFile(temporary, text, { mode, flag: 'wx' })
  await chmod(temporary, mode) // whatever the umask
  if (process.getuid?.() === 0) await chown(temporary, folder.uid, folder.gid)
  await rename(temporary, path)
}

/** Whether a folder has data, even those of an upgrade that was interrupted. */
export async function hasCluster(stateDir: string): Promise<boolean> {
  for (const name of ['cluster', upgradedName])
    if ((await ownerOf(join(stateDir, name))) !== undefined) return true
  return false
}

async function ownerOf(folder: string): Promise<number | undefined> {
  try {
    return (await lstat(folder)).uid
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw cannotUse(folder, error)
  }
}

function canReach(folder: string, user: OsUser): boolean {
  try {
    const { uid, gid } = user
    execFileSync('/bin/sh', ['-c', 'cd "$1"', 'reach', folder], {
      uid,
      gid,
      cwd: '/',
      env: {},
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

export function cannotUse(folder: string, cause: unknown): Error {
  const remedy =
    codeOf(cause) === 'EROFS'
      ? 'it is mounted read-only: remount it writable, or set ARI_DATA_DIR to another folder'
      : 'give it to the user that runs the service, or set ARI_DATA_DIR to another folder'
  return new Error(`The data folder ${folder} can't be used (${codeOf(cause) ?? String(cause)}): ${remedy}`, {
    cause,
  })
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
