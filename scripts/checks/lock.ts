/**
 * Keeps package-lock.json installable everywhere: it names no registry, and it lists the optional packages of
 * every platform. npm leaves out those that its registry lacks at the moment, and `npm ci` then refuses the
 * file.
 *
 * `node scripts/checks/lock.ts --write` adds missing entries (without a checksum, which npm adds when it
 * installs the package) and removes addresses.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const lockFile = new URL('../../package-lock.json', import.meta.url)

type Members = Record<string, unknown>

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {}
}

export type Missing = { path: string; entry: Members }

/** The entries that the lock file's optional dependencies require and that it lacks. */
export function missingEntries(packages: Members): Missing[] {
  return Object.entries(packages).flatMap(([path, described]) => {
    const { optionalDependencies, dev } = membersOf(described)
    return Object.entries(membersOf(optionalDependencies))
      .filter(([name]) => !isListed(packages, path, name))
      .map(([name, version]) => ({
        path: `node_modules/${name}`,
        entry: {
          version,
          ...platformOf(name),
          ...(dev === true && { dev: true }),
          optional: true,
        },
      }))
  })
}

/** Whether Node would find the package from that folder: beside it, or in a node_modules further up. */
function isListed(packages: Members, from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (`${folder === '' ? '' : `${folder}/`}node_modules/${name}` in packages) return true
    if (folder === '') return false
  }
}

const systems = 'android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|aix|win32'
const processors = 'arm64|arm|ia32|x64|ppc64|riscv64|s390x|loong64|mips64el'

/**
 * The names of binary packages say for which platform they are; npm must know it, or it would install them
 * all.
 */
function platformOf(name: string): { os: string[]; cpu: string[]; libc?: string[] } {
  const found = new RegExp(`[-/](${systems})-(${processors})(?:-([a-z]+))?$`).exec(name)
  if (!found?.[1] || !found[2])
    throw new Error(`package-lock.json lacks ${name}, whose platform its name doesn't tell`)
  const libc = found[3]?.startsWith('musl') ? ['musl'] : ['glibc']
  return { os: [found[1]], cpu: [found[2]], ...(found[1] === 'linux' && found[3] && { libc }) }
}

/** The corrected lock file. */
export function mendedLock(text: string): { text: string; problems: string[] } {
  const lock: unknown = JSON.parse(text)
  if (!isMembers(lock) || !isMembers(lock.packages)) throw new Error('package-lock.json is no lock file')
  const problems: string[] = []
  for (const [path, described] of Object.entries(lock.packages)) {
    // A link points to a folder of the project.
    if (!isMembers(described) || !('resolved' in described) || described.link === true) continue
    problems.push(`${path} names a registry`)
    delete described.resolved
  }
  for (const [path, described] of Object.entries(lock.packages)) {
    const { integrity, link } = membersOf(described)
    const isOurs = path === '' || !path.includes('node_modules/') || link === true
    // Without it, npm would install whatever a registry sends.
    if (!isOurs && typeof integrity !== 'string')
      problems.push(`${path} has no checksum: delete its entry, then npm install --package-lock-only`)
  }
  const missing = missingEntries(lock.packages)
  for (const { path, entry } of missing) {
    problems.push(`${path} is an optional dependency and is not listed`)
    lock.packages[path] = entry
  }
  const [[rootPath, root] = ['', {}], ...others] = Object.entries(lock.packages)
  others.sort(([a], [b]) => a.localeCompare(b, 'en'))
  lock.packages = Object.fromEntries([[rootPath, root], ...others])
  return { text: problems.length === 0 ? text : `${JSON.stringify(lock, null, 2)}\n`, problems }
}

if (import.meta.main) {
  const { text, problems } = mendedLock(readFileSync(lockFile, 'utf8'))
  if (process.argv.includes('--write')) {
    writeFileSync(lockFile, text)
    process.stdout.write(`package-lock.json: ${problems.length} entries mended\n`)
  } else if (problems.length > 0) {
    process.stdout.write(`${problems.join('\n')}\nRun "node scripts/checks/lock.ts --write".\n`)
    process.exitCode = 1
  }
}
