/** Where the embedded PostgreSQL keeps its things, and as which user of the operating system it runs. */
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, realpath, rename, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { makeFolders } from './make-folders.ts'
import { systemPath, type OsUser } from './embedded-postgres-processes.ts'

export type Place = {
  /** Ours: the lock, the configuration; holds the server's folders. */
  stateDir: string
  /** PostgreSQL's data folder, which exists after the first start. */
  clusterDir: string
  serviceUser: OsUser
  /** Differs from the service's user only when that is root, which PostgreSQL refuses. */
  serverUser: OsUser
  notes: string[]
}

/** For what root's PostgreSQL, which is not root, can't reach elsewhere. */
export const sharedDir = '/var/lib/ari-gateway'

export const port = 5432
// macOS allows 103 bytes, Linux 107.
const socketPathBytesMax = 103

/** Decides where the data are, the same way at every start, and makes the folder. */
export async function choosePlace(dataDir: string): Promise<Place> {
  const serviceUser = currentUser()
  const { here, shared } = await candidates(dataDir).catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw cannotUse(dataDir, error)
    try {
      makeFolders(dataDir)
    } catch (cause) {
      throw cannotUse(dataDir, cause)
    }
    return candidates(dataDir)
  })
  const place = await chooseAmong(here, shared, serviceUser)
  try {
    await makeFolder(place.stateDir, serviceUser.uid === 0 ? 0o711 : 0o700)
  } catch (error) {
    throw cannotUse(place.stateDir, error)
  }
  return place
}

async function chooseAmong(here: string, shared: string, serviceUser: OsUser): Promise<Place> {
  const at = (stateDir: string, serverUser: OsUser, notes: string[]): Place => {
    return { stateDir, clusterDir: join(stateDir, 'cluster'), serviceUser, serverUser, notes }
  }
  const ownerHere = await ownerOf(join(here, 'cluster'))
  const ownerShared = ownerHere === undefined ? await ownerOf(join(shared, 'cluster')) : undefined
  if (serviceUser.uid !== 0) {
    if (ownerShared !== undefined) {
      throw new Error(
        `The data for ${here} are in ${shared}, because the service was first started as root: start it as root, or move that folder's "cluster" to ${here} and give it to ${serviceUser.name}`,
      )
    }
    return at(here, serviceUser, [])
  }
  const uid = ownerHere ?? ownerShared
  const serverUser = uid === undefined || uid === 0 ? userNamed('nobody') : userNamed(String(uid))
  const where = `PostgreSQL runs as ${serverUser.name}, because it refuses to run as root`
  if (ownerHere !== undefined) {
    if (canReach(join(here, 'cluster'), serverUser)) return at(here, serverUser, [where])
    throw new Error(
      `PostgreSQL can't run as root, and ${serverUser.name}, who owns the data in ${here}, can't reach them: open the folders above to it (chmod o+x), or set ARI_DATA_DIR or DATABASE_URL`,
    )
  }
  if (ownerShared === undefined && canReach(join(here, '..'), serverUser))
    return at(here, serverUser, [where])
  await makeFolder(sharedDir, 0o755)
  return at(shared, serverUser, [
    `${where}; its data are in ${shared}, because ${serverUser.name} could not reach ${here}`,
  ])
}

/** Both places in which the data of this folder may be. Fails with ENOENT when the folder doesn't exist. */
export async function candidates(dataDir: string): Promise<{ here: string; shared: string }> {
  const real = await realpath(resolve(dataDir))
  return { here: join(real, 'postgres'), shared: join(sharedDir, shortHash(real)) }
}

/** The folder of the socket, open to nobody else; short enough for the operating system. */
export async function makeSocketFolder(place: Place): Promise<string> {
  const own = join(place.stateDir, 'socket')
  if (fits(own)) {
    await makeFolder(own, 0o700, place.serverUser)
    return own
  }
  // Root's TMPDIR may be closed to the server, /tmp is not.
  const parent =
    place.serviceUser.uid === 0 || !fits(join(tmpdir(), 'ari-0123456789abcdef')) ? '/tmp' : tmpdir()
  const folder = join(parent, `ari-${shortHash(place.stateDir)}`)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  // Anybody can make folders there: take it only when no other user can have prepared it or can look into it.
  const found = await lstat(folder)
  const isOurs = found.uid === place.serverUser.uid || found.uid === place.serviceUser.uid
  if (!found.isDirectory() || !isOurs || (found.mode & 0o777) !== 0o700) {
    throw new Error(
      `${folder}, needed for PostgreSQL's socket because the path of the data folder is too long, was made by somebody else or is open to others: remove it, or set ARI_DATA_DIR to a shorter path`,
    )
  }
  if (found.uid !== place.serverUser.uid) await chown(folder, place.serverUser.uid, place.serverUser.gid)
  return folder
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= socketPathBytesMax
}

/** Makes a folder, or gives an existing one this mode and, for root, this owner. */
export async function makeFolder(folder: string, mode: number, owner?: OsUser): Promise<void> {
  makeFolders(folder, mode)
  const found = await lstat(folder)
  if ((found.mode & 0o777) !== mode) await chmod(folder, mode)
  if (owner && found.uid !== owner.uid) await chown(folder, owner.uid, owner.gid)
}

/** Replaces a file of the state folder whole; it belongs to the folder's owner, so that root leaves no obstacles. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}`
  await writeFile(temporary, text, { mode: 0o644, flag: 'wx' })
  await chmod(temporary, 0o644) // whatever the umask
  if (process.getuid?.() === 0) {
    const folder = await lstat(join(path, '..'))
    await chown(temporary, folder.uid, folder.gid)
  }
  await rename(temporary, path)
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

function currentUser(): OsUser {
  try {
    const { username, uid, gid } = userInfo()
    return { name: username, uid, gid }
  } catch (cause) {
    throw new Error(
      `The user id ${process.getuid?.()} has no name on this machine, and PostgreSQL needs one: add it to /etc/passwd, or set DATABASE_URL`,
      { cause },
    )
  }
}

function userNamed(nameOrId: string): OsUser {
  try {
    const answer = execFileSync('/bin/sh', ['-c', 'id "$1"', 'id', nameOrId], {
      encoding: 'utf8',
      env: { PATH: systemPath },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [, uid, name, gid] = /^uid=(\d+)\((.+?)\) gid=(\d+)/.exec(answer) ?? []
    if (uid === undefined || name === undefined || gid === undefined) throw new Error(`id says: ${answer}`)
    return { name, uid: Number(uid), gid: Number(gid) }
  } catch (cause) {
    throw new Error(
      `PostgreSQL can't run as root and there is no user "${nameOrId}" here to run it as: start the service as an ordinary user, or set DATABASE_URL`,
      { cause },
    )
  }
}

function cannotUse(folder: string, cause: unknown): Error {
  const remedy = 'give it to the user that runs the service, or set ARI_DATA_DIR to another folder'
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
