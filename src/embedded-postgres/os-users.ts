/** The operating system's users: the one that runs the service, and the one that PostgreSQL runs as. */
import { execFileSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { systemPath, type OsUser } from './processes.ts'

/**
 * The account that root's PostgreSQL runs as. It owns nothing else, so no other program can read the data,
 * open the socket or attach to the server, as all programs of a shared account such as nobody could.
 */
export const ownAccount = 'ari-postgres'

/** Uses the programs of Debian, Red Hat and most others, or those of BusyBox. */
const makeAccount = `if command -v useradd >/dev/null; then
  useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$1"
else
  addgroup -S "$1" && adduser -S -D -H -h /nonexistent -s /sbin/nologin -G "$1" "$1"
fi`
const makeAccountWithinMs = 10_000

export function currentUser(): OsUser {
  try {
    const { username, uid, gid } = userInfo()
    return { name: username, uid, gid }
  } catch (cause) {
    throw new Error(
      `The user id ${process.geteuid?.()} has no name on this machine, and PostgreSQL needs one: add it to /etc/passwd (for a DynamicUser of systemd, install libnss-systemd), or set DATABASE_URL`,
      { cause },
    )
  }
}

/** The account used only by PostgreSQL, created if necessary; undefined if that fails. */
export function ownServerUser(): OsUser | undefined {
  const found = optionalUserNamed(ownAccount)
  if (found) return found
  try {
    execFileSync('/bin/sh', ['-c', makeAccount, 'make', ownAccount], {
      cwd: '/',
      env: { PATH: systemPath },
      stdio: 'ignore',
      timeout: makeAccountWithinMs,
    })
  } catch {
    // The program is missing, the list of users isn't writable, or another start has just created it.
  }
  return optionalUserNamed(ownAccount)
}

function optionalUserNamed(nameOrId: string): OsUser | undefined {
  try {
    return userNamed(nameOrId)
  } catch {
    return undefined
  }
}

export function userNamed(nameOrId: string): OsUser {
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
