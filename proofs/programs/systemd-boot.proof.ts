/** The Debian guide, literally, on a machine with a really booted systemd: up to its first push, and back. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bootedMachine, whyNotBooted, type Machine } from '../../test/stage/programs/booted-systemd.ts'
import { namedBlocks } from '../../test/stage/docs-pages.ts'
import { root } from '../../test/stage/files.ts'
import { minutes, seconds } from '../../test/stage/pace.ts'

const reason = await whyNotBooted()
const guide = join(root, 'docs/install.md')
const [, debian = ''] = /^## Debian\n(.*?)^## /ms.exec(readFileSync(guide, 'utf8')) ?? []

/** The commands behind a prompt, without it and with what continues them. */
const commands = [...debian.matchAll(/^# ((?:.*\\\n)*.*)$/gm)].map(([, command = '']) => command)
const about = (words: string): string => {
  const [found, ...more] = commands.filter((command) => command.includes(words))
  assert.ok(found !== undefined && more.length === 0, `${words}: ${commands.join('\n')}`)
  return found
}

let machine: Machine | undefined
before(
  async () => {
    if (reason === undefined) machine = await bootedMachine()
  },
  { timeout: minutes(2) },
)
after(() => machine?.stop())

async function restarted(shell: Machine['shell'], since: string): Promise<void> {
  const until = Date.now() + seconds(60)
  for (;;) {
    const now = await shell('systemctl show -P MainPID ari; systemctl is-active ari || true')
    const [pid = '', state] = now.split('\n')
    if (state === 'active' && pid !== since) return
    assert.ok(Date.now() < until, now)
    await wait(200)
  }
}

test('the Debian guide ends with the first push; then the watchdog, a stop and the way back', async (t) => {
  if (machine === undefined) return skip(t)
  const { shell } = machine
  // The package is in its place already, and its unit is what the guide copies.
  for (const words of ['/etc/ari/vault-key)', 'cp /usr/lib', 'enable --now', 'install -m 0600'])
    await shell(about(words))
  assert.equal((await shell('stat -c %a first-secrets.json')).trim(), '600')
  const push = namedBlocks(guide).get('sh first push') ?? ''
  assert.match(await shell(push), /"message":"Hotels updated successfully"/)
  await rightsAreFew(shell)

  assert.match(await shell(about('key create')), /"apiKey":"ari_sbx_/)
  const found = await shell(about('ari doctor'))
  assert.match(found, /^ok +vault /m)
  assert.match(found, /\b0 wrong\b/)

  await shell(
    'mkdir /run/systemd/system/ari.service.d; echo "[Service]\nWatchdogSec=4" > /run/systemd/system/ari.service.d/x.conf',
  )
  await shell('systemctl daemon-reload; systemctl restart ari')
  const first = (await shell('systemctl show -P MainPID ari')).trim()
  await shell('systemctl kill --signal=SIGSTOP --kill-who=main ari')
  await restarted(shell, first)
  assert.match(await shell('journalctl --unit ari --no-pager'), /Watchdog timeout/)

  await shell('systemctl stop ari')
  assert.equal((await shell('systemctl show -P Result -P ExecMainStatus ari')).trim(), 'success\n0')
  assert.equal((await shell('pgrep -x postgres || true')).trim(), '')
  await shell('systemctl disable --now ari; rm /etc/systemd/system/ari.service; systemctl daemon-reload')
  const left =
    'test -d /var/lib/private/ari/data && test -f /etc/ari/vault-key && test -L /var/lib/ari && echo left'
  assert.equal((await shell(left)).trim(), 'left')
})

/** A user that systemd made, no capability, and no rights but its own folder's. */
async function rightsAreFew(shell: Machine['shell']): Promise<void> {
  const status = await shell('cat /proc/$(systemctl show -P MainPID ari)/status')
  assert.match(status, /^NoNewPrivs:\s1$/m)
  assert.match(status, /^Seccomp:\s2$/m)
  for (const kind of ['CapPrm', 'CapEff', 'CapBnd']) assert.match(status, new RegExp(`^${kind}:\\s0+$`, 'm'))
  assert.doesNotMatch(status, /^Uid:\s0\s/m)
  assert.equal((await shell('stat -c "%a %U" /var/lib/private/ari')).trim(), '700 ari')
}

function skip(t: TestContext): void {
  t.diagnostic(reason ?? '')
  t.skip(reason)
}
