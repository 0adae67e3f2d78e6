import { loadConfig, secretValues, WrongSettings, type Settings } from '../settings/config.ts'
import type { Database } from '../postgres/postgres.ts'
import { selectCalledUrls } from '../webhooks/store.ts'
import { checkDataFolder, checkDescriptors, checkDisk } from './check-machine.ts'
import {
  checkMail,
  checkNames,
  checkPublicUrl,
  checkService,
  checkSuppliers,
  checkWebhook,
} from './check-network.ts'
import { checkSettings, type Loaded } from './check-settings.ts'
import { checkStore, reach } from './check-store.ts'
import { checks, runCheck, type Check, type DoctorFinding, type CheckOutcome } from './findings.ts'
import { redactor } from './redact.ts'

/** Examines an installation by its settings: beside a running service, and while none runs. */

export type Options = {
  /** Also connects to the hosts of suppliers' URLs. */
  callsSuppliers: boolean
}

/** Changes nothing in the store. The findings contain no secret, and are in the order of `checks`. */
export async function examine(options: Options): Promise<DoctorFinding[]> {
  const loaded = load()
  const findings = [
    ...(await runCheck('settings', 'all other checks depend on them', () => checkSettings(loaded))),
    ...('settings' in loaded ? await examineWith(loaded.settings, options) : []),
  ]
  const clean = redactor(secretValues())
  const inOrder = findings.sort((left, right) => checks.indexOf(left.check) - checks.indexOf(right.check))
  return inOrder.map((finding) => withTexts(finding, clean))
}

function load(): Loaded {
  try {
    return loadConfig()
  } catch (error) {
    if (error instanceof WrongSettings) return { problems: error.lines }
    throw error
  }
}

async function examineWith(settings: Settings, options: Options): Promise<DoctorFinding[]> {
  const folder = await runCheck('data-folder', 'the store is in it', () => checkDataFolder(settings))
  const isUsable = folder.every(({ level }) => level !== 'wrong')
  const store = isUsable ? await examineStore(settings, options) : { findings: [], holder: undefined }
  const alone: readonly [Check, string, () => Promise<CheckOutcome> | CheckOutcome][] = [
    ['descriptors', 'every connection needs one', () => checkDescriptors(store.holder)],
    ['disk', 'when the disk is full, every write is refused', () => checkDisk(settings)],
    ['service', 'it answers suppliers and the platform', () => checkService(settings)],
    ['public-url', 'people open the console there', () => checkPublicUrl(settings)],
    ['mail', 'alerts are sent through it', () => checkMail(settings)],
    ['webhook', 'price checks and reservations are sent by such calls', () => checkWebhook(settings)],
  ]
  const others = await Promise.all(alone.map(([check, why, look]) => runCheck(check, why, look)))
  return [...folder, ...store.findings, ...others.flat()]
}

async function examineStore(
  settings: Settings,
  options: Options,
): Promise<{ findings: DoctorFinding[]; holder: number | undefined }> {
  const { findings, store, holder } = await reach(settings)
  if (!store) return { findings, holder }
  try {
    const found = await checkStore(settings, store, (db) => checkUrls(settings, options, db))
    return { findings: [...findings, ...found], holder }
  } finally {
    await store.close()
  }
}

async function checkUrls(settings: Settings, options: Options, db: Database): Promise<DoctorFinding[]> {
  const urls = await selectCalledUrls(db, db.clock.now())
  return [
    ...(await runCheck('names', 'suppliers are called by name', () => checkNames(urls, settings))),
    ...(await runCheck('suppliers', 'price checks and reservations go there', () =>
      checkSuppliers(urls, settings, options.callsSuppliers),
    )),
  ]
}

function withTexts(
  { check, level, message, why, remedy }: DoctorFinding,
  clean: (text: string) => string,
): DoctorFinding {
  return {
    check,
    level,
    message: clean(message),
    ...(why === undefined ? {} : { why: clean(why) }),
    ...(remedy === undefined ? {} : { remedy: clean(remedy) }),
  }
}
