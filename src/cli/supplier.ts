import { Command } from 'commander'
import { createSupplier, selectSuppliers } from '../keys/manage.ts'
import { printJson, printOutcome, printTable } from './print.ts'
import { withSession } from './session.ts'

type Given = { json?: boolean }

export function supplierCommand(): Command {
  const supplier = new Command('supplier').description('supplier accounts').addHelpText(
    'after',
    `
Examples:
  ari supplier create "Sea View"
  ari supplier list --json`,
  )
  supplier
    .command('create')
    .description('make a supplier account')
    .argument('<name>', 'its name, unique')
    .option('--json', 'print JSON')
    .action((name: string, given: Given) =>
      withSession(async ({ db }) => {
        const { supplierId } = await createSupplier(db, name)
        printOutcome(given, { supplierId: String(supplierId), name }, `Supplier "${name}" was created`)
      }),
    )
  supplier
    .command('list')
    .description('all suppliers and how many active keys each has')
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
  return supplier
}
