/**
 * The tests that a run may skip, and why that is acceptable. Whatever else is skipped fails the run: what npm brings is
 * never missing, and what Debian's packages bring, the tests install themselves (`missing` of test/stage/programs/programs.ts) where they
 * run as root.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './stage/files.ts'

export type Skipped = { file: string; test: string; reason: string }

type MaySkip = {
  file: string
  /** How the tests' names begin; all of the file without it. */
  test?: string
  /** Where it may be missing: on every machine without it. Nothing that only root can do is tested outside Linux. */
  only?: 'without root' | 'outside Linux'
  missing: string
  because: string
}

const debian = 'only root can install it; whoever runs .ci/run as root tests it'
const byRoot = 'nobody else can do what is tested; whoever runs .ci/run as root tests it'
const byKernel = 'containers often refuse it to root, too, and nothing that could be installed changes that'

const maySkip: readonly MaySkip[] = [
  // Programs.
  {
    file: 'proofs/packages/alert-rules.proof.ts',
    only: 'without root',
    missing: 'promtool',
    because: debian,
  },
  { file: 'proofs/store/backup.proof.ts', only: 'without root', missing: 'PostgreSQL 15', because: debian },
  {
    file: 'test/operation/deploy.test.ts',
    only: 'without root',
    missing: 'systemd-analyze',
    because: debian,
  },
  {
    file: 'proofs/packages/digest-programs.proof.ts',
    only: 'without root',
    missing: 'Python, PHP',
    because: debian,
  },
  {
    file: 'proofs/packages/docs-samples.proof.ts',
    test: 'receiver.cs ',
    missing: '.NET',
    because: 'neither npm nor Debian has it',
  },
  {
    file: 'proofs/packages/docs-samples.proof.ts',
    only: 'without root',
    missing: 'Python, PHP, Java',
    because: debian,
  },
  { file: 'proofs/kills/failover.proof.ts', only: 'without root', missing: 'PostgreSQL 15', because: debian },
  { file: 'proofs/packages/nats.proof.ts', only: 'without root', missing: 'nats-server', because: debian },
  { file: 'proofs/packages/nginx.proof.ts', only: 'without root', missing: 'nginx', because: debian },
  { file: 'proofs/store/pgbouncer.proof.ts', only: 'without root', missing: 'PgBouncer', because: debian },
  {
    file: 'proofs/kills/replica-lag.proof.ts',
    only: 'without root',
    missing: 'PostgreSQL 15',
    because: debian,
  },
  {
    file: 'proofs/store/store-upgrade.proof.ts',
    only: 'without root',
    missing: 'PostgreSQL 15',
    because: debian,
  },
  {
    file: 'proofs/programs/systemd.proof.ts',
    only: 'without root',
    missing: 'systemd-notify',
    because: debian,
  },
  // Rights.
  {
    file: 'src/embedded-postgres/os-users.test.ts',
    missing: 'the right to become another user',
    because: byKernel,
  },
  {
    file: 'proofs/store/embedded-postgres.proof.ts',
    only: 'without root',
    missing: 'PostgreSQL 15',
    because: debian,
  },
  {
    file: 'proofs/store/users-and-folders.proof.ts',
    only: 'without root',
    missing: 'root',
    because: byRoot,
  },
  { file: 'proofs/programs/doctor.proof.ts', test: 'a disk ', missing: 'a mount', because: byKernel },
  {
    file: 'proofs/programs/doctor.proof.ts',
    test: 'no network',
    missing: 'a network namespace',
    because: byKernel,
  },
  { file: 'proofs/kills/crash.proof.ts', test: 'a full disk', missing: 'a mount', because: byKernel },
  { file: 'proofs/packages/image.proof.ts', only: 'without root', missing: 'root', because: byRoot },
  { file: 'proofs/kills/silent-death.proof.ts', missing: 'a network namespace', because: byKernel },
  {
    file: 'proofs/programs/systemd-boot.proof.ts',
    missing: 'a machine of its own, with mounts and control groups of version 2',
    because: byKernel,
  },
  { file: 'proofs/programs/ready.proof.ts', test: 'a full disk', missing: 'a mount', because: byKernel },
  {
    file: 'proofs/programs/start-faults.proof.ts',
    test: 'a data folder',
    missing: 'a mount',
    because: byKernel,
  },
  // The operating system.
  {
    file: 'proofs/attacks/connections.proof.ts',
    only: 'outside Linux',
    missing: 'addresses of 127.0.0.0/8',
    because: 'other systems have one of them',
  },
  {
    file: 'proofs/kills/crash.proof.ts',
    only: 'outside Linux',
    missing: '/proc',
    because: 'other systems show processes differently',
  },
  {
    file: 'proofs/programs/service.proof.ts',
    only: 'outside Linux',
    missing: '/proc',
    because: 'other systems show processes differently',
  },
]

const isOutsideLinux = process.platform !== 'linux'
const isHere = {
  'outside Linux': isOutsideLinux,
  'without root': isOutsideLinux || process.getuid?.() !== 0,
}

/** Why the test may be skipped on this machine; undefined: it may not. */
export function whyMaySkip({ file, test }: Skipped): string | undefined {
  const found = maySkip.find(
    (one) =>
      one.file === file && test.startsWith(one.test ?? '') && (one.only === undefined || isHere[one.only]),
  )
  return found && `without ${found.missing}: ${found.because}`
}

/** The entries whose files are gone. */
export function staleExceptions(): string[] {
  return maySkip.map(({ file }) => file).filter((file) => !existsSync(join(root, file)))
}
