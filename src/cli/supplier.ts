import { Command, Option } from 'commander'
import {
  onFailures,
  onTermsDiffers,
  setAccount,
  createSupplier,
  selectSuppliers,
  supplierIdOf,
  type Account,
  type OnFailure,
  type OnTermsDiffer,
} from '../keys/suppliers.ts'
import { commissionDecimalsMax, pricesAres, type PricesAre } from '../keys/price-contract.ts'
import { supplierSubject } from '../console-api/suppliers/rules.ts'
import { onOrOff, percent, integerBetween } from './arguments.ts'
import { audited, withSession } from './session.ts'
import { printJson, printOutcome, printTable, remark } from './print.ts'

type Given = { json?: boolean }

export function supplierCommand(): Command {
  const supplier = new Command('supplier').description('manage supplier accounts').addHelpText(
    'after',
    `
Examples:
  ari supplier create "Sea View"
  ari supplier list --json
  ari supplier show "Sea View"
  ari supplier set "Sea View" --on-failure use_stored --price-tolerance 2.5 --card-delivery on`,
  )
  supplier
    .command('create')
    .description('create a supplier account')
    .argument('<name>', 'its name, unique')
    .option('--json', 'print JSON')
    .action((name: string, given: Given) =>
      withSession(async ({ db }) => {
        const { supplierId } = await audited(db, async (connection) => {
          const result = await createSupplier(connection, name)
          const subject = supplierSubject({ ...result, name })
          return { result, action: 'supplier.create', subject, after: { name } }
        })
        printOutcome(given, { supplierId: String(supplierId), name }, `Supplier "${name}" was created`)
      }),
    )
  supplier
    .command('list')
    .description('list the suppliers, with the number of active keys of each')
    .option('--json', 'print JSON')
    .action((given: Given) =>
      withSession(async ({ db, nowMs }) => {
        const suppliers = await selectSuppliers(db, nowMs)
        if (given.json) printJson(suppliers.map((one) => ({ ...one, supplierId: String(one.supplierId) })))
        else {
          printTable(
            ['SUPPLIER', 'ACTIVE KEYS', 'CREATED'],
            suppliers.map((one) => [one.name, one.activeKeys, one.createdAt]),
          )
        }
      }),
    )
  addShow(supplier)
  addSet(supplier)
  return supplier
}

function addShow(supplier: Command): void {
  supplier
    .command('show')
    .description("show a supplier's contract settings")
    .argument('<name>', 'its name')
    .option('--json', 'print JSON')
    .action((name: string, given: Given) =>
      withSession(async ({ db }) => printAccount(given, name, await setAccount(db, name, {}))),
    )
}

type GivenAccount = {
  onFailure?: OnFailure
  onTermsDiffer?: OnTermsDiffer
  priceTolerance?: string
  pricesAre?: PricesAre
  commissionPercent?: string
  cardDelivery?: boolean
  onDemandPush?: boolean
  reservationRetrieval?: boolean
  requireCertification?: boolean
  certified?: boolean
  managedKeys?: number
  managedKeyRate?: number
  hotelsMax?: number
}

function addSet(supplier: Command): void {
  supplier
    .command('set')
    .description("change a supplier's contract settings; options that are not given stay unchanged")
    .argument('<name>', 'its name')
    .addOption(
      new Option(
        '--on-failure <what>',
        'when a price check fails: refuse the booking, or make it at the stored price',
      ).choices(onFailures),
    )
    .addOption(
      new Option(
        '--on-terms-differ <what>',
        'when the supplier answers another meal plan or other penalties than are sold: warn, or refuse the booking',
      ).choices(onTermsDiffers),
    )
    .option(
      '--price-tolerance <percent>',
      'how far the live total may differ from the stored one, in percent',
      percent(2),
    )
    .addOption(
      new Option(
        '--prices-are <what>',
        'what the pushed prices are: sell, which guests pay and of which you keep a commission, or net, which the hotel gets',
      ).choices(pricesAres),
    )
    .option(
      '--commission-percent <percent>',
      'commission of sell prices, in percent of what guests are charged without taxes',
      percent(commissionDecimalsMax),
    )
    .option('--card-delivery <on|off>', 'deliver payment cards with reservations', onOrOff)
    .option('--on-demand-push <on|off>', 'allow POST /push/webhook/booking', onOrOff)
    .option(
      '--reservation-retrieval <on|off>',
      'allow GET /push/webhook/pushbook/retrieve and its acknowledgement',
      onOrOff,
    )
    .option(
      '--require-certification <on|off>',
      'refuse production keys until the supplier is certified',
      onOrOff,
    )
    .option('--certified <on|off>', 'certify the supplier by hand, whatever its traffic shows', onOrOff)
    .option(
      '--managed-keys <count>',
      "how many active keys the supplier's managers may create",
      integerBetween({ min: 0, max: 100 }),
    )
    .option(
      '--managed-key-rate <count>',
      'rate limit of a key that a manager creates, in requests per minute',
      integerBetween({ min: 1, max: 10_000_000 }),
    )
    .option(
      '--hotels-max <count>',
      'how many hotels the account may have; 0 for no limit',
      integerBetween({ min: 0, max: 10_000_000 }),
    )
    .option('--json', 'print JSON')
    .action(changeAccount)
}

function changeAccount(name: string, given: Given & GivenAccount): Promise<void> {
  return withSession(async ({ db, vaultKeys }) => {
    const account = await audited(db, async (connection) => {
      const before = await setAccount(connection, name, {})
      const result = await setAccount(connection, name, accountGiven(given))
      const subject = supplierSubject({ supplierId: await supplierIdOf(connection, name), name })
      return { result, action: 'supplier.change', subject, before, after: result }
    })
    printAccount(given, name, account)
    if (account.deliversCards && vaultKeys.present === undefined)
      remark('Without ARI_VAULT_KEY, bookings with a card are refused (CARDS_NOT_ACCEPTED)')
  })
}

/** Only the options that were given. */
function accountGiven(given: GivenAccount): Partial<Account> {
  const { onFailure, priceTolerance, cardDelivery, onDemandPush, reservationRetrieval } = given
  const { requireCertification, certified, managedKeys, managedKeyRate, hotelsMax, onTermsDiffer } = given
  const { pricesAre, commissionPercent } = given
  return {
    ...(onFailure === undefined ? {} : { onFailure }),
    ...(onTermsDiffer === undefined ? {} : { onTermsDiffer }),
    ...(priceTolerance === undefined ? {} : { priceTolerance }),
    ...(pricesAre === undefined ? {} : { pricesAre }),
    ...(commissionPercent === undefined ? {} : { commissionPercent }),
    ...(cardDelivery === undefined ? {} : { deliversCards: cardDelivery }),
    ...(onDemandPush === undefined ? {} : { mayPushOnDemand: onDemandPush }),
    ...(reservationRetrieval === undefined ? {} : { mayRetrieve: reservationRetrieval }),
    ...(requireCertification === undefined ? {} : { requireCertification }),
    ...(certified === undefined ? {} : { isCertified: certified }),
    ...(managedKeys === undefined ? {} : { managedKeysMax: managedKeys }),
    ...(managedKeyRate === undefined ? {} : { managedKeyRateMax: managedKeyRate }),
    ...(hotelsMax === undefined ? {} : { hotelsMax }),
  }
}

function printAccount(given: Given, name: string, account: Account): void {
  if (given.json) return printJson({ name, ...account })
  const onOffText = (isOn: boolean): string => (isOn ? 'on' : 'off')
  printTable(
    ['SETTING', 'VALUE'],
    [
      ['on-failure', account.onFailure],
      ['on-terms-differ', account.onTermsDiffer],
      ['price-tolerance', `${account.priceTolerance} %`],
      ['prices-are', account.pricesAre],
      ['commission-percent', `${account.commissionPercent} %`],
      ['card-delivery', onOffText(account.deliversCards)],
      ['on-demand-push', onOffText(account.mayPushOnDemand)],
      ['reservation-retrieval', onOffText(account.mayRetrieve)],
      ['require-certification', onOffText(account.requireCertification)],
      ['certified', onOffText(account.isCertified)],
      ['managed-keys', String(account.managedKeysMax)],
      ['managed-key-rate', String(account.managedKeyRateMax)],
      ['hotels-max', account.hotelsMax === 0 ? 'no limit' : String(account.hotelsMax)],
    ],
  )
}
