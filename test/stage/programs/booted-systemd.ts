/** A machine with a really booted systemd, in namespaces of its own on a copy-on-write root: nothing of it reaches this machine. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '../files.ts'
import { seconds } from '../pace.ts'
import { missing } from './programs.ts'

/** With their packages. */
const needed = [
  ['/lib/systemd/systemd', 'systemd'],
  ['/usr/bin/dbus-daemon', 'dbus'],
  ['/usr/bin/curl', 'curl'],
] as const

/** Where control groups of version 2 are mounted. */
const groups = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((path) =>
  existsSync(join(path, 'cgroup.controllers')),
)

/** Why systemd can't be booted here. */
export async function whyNotBooted(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'booting systemd needs root on Linux'
  for (const [program, debianPackage] of needed) {
    const why = await missing(program, debianPackage)
    if (why !== undefined) throw new Error(why)
  }
  if (groups === undefined) return 'there are no control groups of version 2'
  try {
    const { group, folder } = newPlace(groups)
    execFileSync('sh', ['-ec', enter, group, ...machine('exit 0', folder)], { stdio: 'ignore' })
    rmdirSync(group)
    rmSync(folder, { recursive: true, force: true })
    return undefined
  } catch {
    return 'a machine of its own, with its mounts and control groups, can not be made here'
  }
}

function newPlace(groupsFolder: string): { group: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ari-machine-'))
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(folder, name))
  const group = join(groupsFolder, basename(folder))
  mkdirSync(group)
  return { group, folder }
}

/** Into the control group, and away with whoever began it. */
const enter = 'echo $$ > "$0/cgroup.procs"; exec setpriv --pdeathsig KILL "$@"'
const apart = ['--cgroup', '--pid', '--fork', '--kill-child', '--mount', '--net', '--uts', '--ipc']
const becomeSystemd =
  'exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=basic.target --log-target=journal'

/** The command of a process in namespaces of its own, with their root, that goes on with `last`. */
function machine(last: string, folder: string): string[] {
  return ['unshare', ...apart, 'sh', '-ec', makeRoot + last, 'boot', folder, root, process.execPath]
}

/** Its arguments: folder, checkout, Node. */
const makeRoot = `
folder=$1 checkout=$2 node=$3; new=$folder/root
ip link set lo up
mount -t overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" overlay "$new"
mount -t proc proc "$new/proc"
# Its settings of the kernel are this machine's.
mount --bind "$new/proc/sys" "$new/proc/sys"; mount -o remount,ro,bind "$new/proc/sys"
mount -t sysfs -o ro sysfs "$new/sys"
mount -t cgroup2 cgroup2 "$new/sys/fs/cgroup"
mkdir -p "$new/opt/ari-gateway" "$new/usr/lib/node_modules"
mount --bind "$checkout" "$new/opt/ari-gateway"
mount -o remount,ro,bind "$new/opt/ari-gateway"
ln -sfn /opt/ari-gateway "$new/usr/lib/node_modules/ari-gateway"
ln -sfn ../lib/node_modules/ari-gateway/bin/ari.js "$new/usr/bin/ari"
rm -f "$new/usr/bin/node"; cp "$node" "$new/usr/bin/node"
# Nothing that this machine has enabled starts.
mount -t tmpfs -o mode=755 tmpfs "$new/etc/systemd/system"
ln -s /dev/null "$new/etc/systemd/system/systemd-modules-load.service"
mount -t tmpfs -o mode=755 tmpfs "$new/dev"
for device in null zero full random urandom tty; do : > "$new/dev/$device"; mount --bind "/dev/$device" "$new/dev/$device"; done
mkdir "$new/dev/pts" "$new/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$new/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$new/dev/shm"
ln -s pts/ptmx "$new/dev/ptmx"; ln -s /proc/self/fd "$new/dev/fd"
mount -t tmpfs -o mode=755 tmpfs "$new/run"
mount -t tmpfs -o mode=1777 tmpfs "$new/tmp"
cd "$new"; mkdir -p .old; pivot_root . .old; cd /; umount -l /.old
# As on a machine: systemd hands credentials over by a mount that its services see.
mount --make-rshared /
`

export type Machine = {
  /** Runs lines of the shell as root; what they print. */
  shell: (script: string) => Promise<string>
  stop: () => Promise<void>
}

export async function bootedMachine(): Promise<Machine> {
  const { group, folder } = newPlace(groups ?? '')
  const outside = spawn('sh', ['-ec', enter, group, ...machine(becomeSystemd, folder)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  outside.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
  const shell = async (script: string): Promise<string> => {
    const [pid = ''] = readFileSync(`/proc/${outside.pid}/task/${outside.pid}/children`, 'utf8').split(' ')
    const names = ['--target', pid, '--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup']
    const environ = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8']
    const run = promisify(execFile)('nsenter', [...names, ...environ, 'bash', '-euc', `cd /root; ${script}`])
    return (await run).stdout
  }
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => outside.once('exit', resolve))
    if (outside.exitCode === null && outside.kill('SIGKILL')) await ended
    await emptied(group).finally(() => rmSync(folder, { recursive: true, force: true }))
  }
  try {
    await running(shell)
  } catch (cause) {
    await stop()
    throw new Error(`systemd did not come up: ${said}`, { cause })
  }
  return { shell, stop }
}

async function running(shell: Machine['shell']): Promise<void> {
  const until = Date.now() + seconds(30)
  for (;;)
    try {
      return void (await shell('systemctl is-active --quiet basic.target dbus.socket'))
    } catch (error) {
      if (Date.now() > until) throw error
      await wait(100)
    }
}

/** Takes the control groups away once their last process is gone. */
async function emptied(group: string): Promise<void> {
  const until = Date.now() + seconds(20)
  const inner = globSync('**/cgroup.procs', { cwd: group }).map((path) => dirname(join(group, path)))
  for (const path of inner.toSorted((a, b) => b.length - a.length))
    for (;;)
      try {
        rmdirSync(path)
        break
      } catch (error) {
        if (Date.now() > until) throw error
        await wait(50)
      }
}
