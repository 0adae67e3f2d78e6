/**
 * The Chromium of the machine: `ARI_TEST_CHROMIUM`, or one where Debian and Google install it. One that can't even say
 * its version is none: what is tested here is the console, not the machine.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
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

const found = findChromium()

/** For `test(name, { skip: withoutChromium }, …)`: why there is none, or false where there is one. */
export const withoutChromium: string | false = 'missing' in found ? found.missing : false
if (withoutChromium !== false) process.stderr.write(`\n*** ${withoutChromium} ***\n\n`)

export async function launchChromium(): Promise<Browser> {
  if ('missing' in found) throw new Error(found.missing)
  return chromium.launch({ executablePath: found.program, args: parameters })
}

function findChromium(): { readonly program: string } | { readonly missing: string } {
  const named = process.env.ARI_TEST_CHROMIUM
  const program = named ?? places.find((place) => existsSync(place))
  if (program === undefined)
    return { missing: `NOT TESTED: the pages in a browser, there is no Chromium (${places.join(', ')})` }
  const { status, stderr, error } = spawnSync(program, ['--no-sandbox', '--version'], { encoding: 'utf8' })
  if (status === 0) return { program }
  const why = `${program} does not start: ${error?.message ?? stderr.trim()}`
  if (named !== undefined) throw new Error(`ARI_TEST_CHROMIUM: ${why}`)
  return { missing: `NOT TESTED: the pages in a browser, ${why}` }
}
