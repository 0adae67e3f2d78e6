/** The data folder of the embedded PostgreSQL and its settings. */
import { existsSync } from 'node:fs'
import { lstat, readdir, readFile, rename, rm, unlink } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { codeOf, makeFolder, port, replaceFile, type Layout } from './layout.ts'
import { finishSwap, removeUnfinishedUpgrade, syncFolder } from './swap.ts'
import { clusterName, isAlive, postmasterPid, runToEnd, type Watcher } from './processes.ts'

/** The role and the database of the service. */
export const role = 'ari'

/** Creates the data folder if there is none yet. Leftovers of a killed start don't disturb the next one. */
export async function prepareCluster(
  layout: Layout,
  binaries: Binaries,
  watcher: Watcher,
  onLaunch?: () => void,
): Promise<void> {
  for (const name of await readdir(layout.stateDir)) {
    if (!name.startsWith('cluster.new-')) continue
    await rm(join(layout.stateDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
  await finishSwap(layout)
  if (!existsSync(layout.clusterDir)) await initialise(layout, binaries, watcher, onLaunch)
  const written = await versionOf(layout.clusterDir)
  const { majorVersion } = binaries
  if (written !== majorVersion) {
    const remedy =
      written < majorVersion
        ? 'move it with "ari store upgrade"'
        : 'start the version of the service that wrote it, or restore the data from before the upgrade (docs/upgrade.md)'
    throw new Error(
      `The data in ${layout.clusterDir} was written by PostgreSQL ${written}, and this is PostgreSQL ${majorVersion}: ${remedy}, or set ARI_POSTGRES_BIN to the bin folder of PostgreSQL ${written}`,
    )
  }
  await removeUnfinishedUpgrade(layout)
}

/** The major version that wrote the data. */
export async function versionOf(clusterDir: string): Promise<number> {
  return Number(await readFile(join(clusterDir, 'PG_VERSION'), 'utf8'))
}

async function initialise(
  layout: Layout,
  binaries: Binaries,
  watcher: Watcher,
  onLaunch?: () => void,
): Promise<void> {
  const unfinished = join(layout.stateDir, `cluster.new-${randomBytes(4).toString('hex')}`)
  await makeFolder(unfinished, 0o700, layout.serverUser)
  const locale =
    binaries.majorVersion >= 17
      ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
      : ['--locale=C']
  const { ok, reason, lines } = await runToEnd(
    {
      program: join(binaries.binDir, 'initdb'),
      parameters: [
        `--pgdata=${unfinished}`,
        `--username=${role}`,
        '--auth=peer',
        '--encoding=UTF8',
        ...locale,
        '--data-checksums',
        '--no-instructions',
        // One call for the whole disk instead of one for each of a thousand files.
        ...(binaries.majorVersion >= 17 && process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
      ],
      libraryPath: binaries.libraryPath,
      runAs: layout.serverUser,
    },
    { watcher, onLaunch },
  )
  if (!ok) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: 5 })
    const why = lines.findLast((line) => /error|fatal/i.test(line)) ?? reason
    throw new Error(`PostgreSQL's data folder could not be created in ${layout.stateDir}: ${why}`)
  }
  await rename(unfinished, layout.clusterDir)
  await syncFolder(layout.stateDir)
}

const connectionsMaxByDefault = 100

/** Writes the settings at every start: our files are outside the data folder. */
export async function writeConfiguration(
  layout: Layout,
  binaries: Binaries,
  socketDir: string,
  connectionsMax = connectionsMaxByDefault,
): Promise<void> {
  const at = (name: string) => join(layout.stateDir, name)
  // Allows only the service's user, not the server's: if that is nobody, many other programs are nobody too.
  await replaceFile(at('pg_hba.conf'), `local all ${role} peer map=${role}\n`)
  await replaceFile(at('pg_ident.conf'), `${role} "${layout.serviceUser.name}" ${role}\n`)
  // In a list of folders, a comma is a separator unless the folder is in double quotes.
  const socketList = `"${socketDir.replaceAll('"', '""')}"`
  const settings: [string, string][] = [
    ['listen_addresses', ''],
    ['port', String(port)],
    ['unix_socket_directories', socketList],
    ['hba_file', at('pg_hba.conf')],
    ['ident_file', at('pg_ident.conf')],
    ['cluster_name', clusterName(layout.clusterDir)],
    ['fsync', 'on'],
    ['full_page_writes', 'on'],
    ['synchronous_commit', 'on'],
    ['max_connections', String(connectionsMax)],
    ['shared_buffers', '128MB'],
    ['max_wal_size', '2GB'],
    ['wal_compression', binaries.hasLz4 ? 'lz4' : 'on'],
    ['temp_file_limit', '2GB'],
    ['jit', 'off'], // its compilation costs more than our short statements
    ['logging_collector', 'off'], // standard error goes to our log, whose size the operator limits
    ['log_destination', 'stderr'],
    ['log_line_prefix', ''],
    ['log_checkpoints', 'off'],
    ['log_error_verbosity', 'terse'], // details and statements contain the values of rows
    ['log_min_error_statement', 'panic'],
    ['lc_messages', 'C'],
    ['log_timezone', 'UTC'],
    ['timezone', 'UTC'],
  ]
  const quoted = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
  // First initdb's findings about this machine, such as its kind of shared memory.
  const lines = [
    '# Rewritten at every start. Set anything that is not listed here in cluster/postgresql.conf.',
    `include ${quoted(join(layout.clusterDir, 'postgresql.conf'))}`,
    ...settings.map(([name, value]) => `${name} = ${quoted(value)}`),
  ]
  await replaceFile(at('postgresql.conf'), `${lines.join('\n')}\n`)
}

/**
 * Removes lock files whose pid now belongs to another program; otherwise PostgreSQL would refuse to start.
 * Call this only when no process of this server is left. If no process has the pid, its file stays:
 * PostgreSQL handles it, and uses it to check whether old shared memory is still in use.
 */
export async function removeMisleadingLockFiles(layout: Layout, socketDir: string): Promise<void> {
  const pid = postmasterPid(layout.clusterDir)
  if (pid !== undefined && isAlive(pid)) await rm(join(layout.clusterDir, 'postmaster.pid'), { force: true })
  for (const name of [`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]) {
    await unlink(join(socketDir, name)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
  }
}

/** Whether this user may access the folder of the socket, so that a refusal can be explained. */
export async function mayUseSocket(socketDir: string): Promise<boolean> {
  return lstat(join(socketDir, `.s.PGSQL.${port}`)).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'EACCES',
  )
}
