/** The Chromium of the machine. */
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const program = places.find((place) => existsSync(place))
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

/** Undefined where there is none. */
export const launchChromium: (() => Promise<Browser>) | undefined =
  program === undefined ? undefined : () => chromium.launch({ executablePath: program, args: parameters })
