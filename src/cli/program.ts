import { Command } from 'commander'
import { afterRestoreCommand } from './after-restore.ts'
import { backupCommand } from './backup.ts'
import { deliveriesCommand } from './deliveries.ts'
import { doctorCommand } from './doctor.ts'
import { healthCommand } from './health.ts'
import { keyCommand } from './key.ts'
import { operatorCommand } from './operator.ts'
import { printOutcome } from './print.ts'
import { referenceCommand } from './reference.ts'
import { withSession } from './session.ts'
import { simulateCommand } from './simulate.ts'
import { storeCommand } from './store.ts'
import { supplierCommand } from './supplier.ts'
import { tokenCommand } from './token.ts'
import { vaultCommand } from './vault.ts'

/** The command `ari`. `serve` is passed in, because its module starts the service as soon as it is loaded. */
export function program(options: { version: string; serve: () => Promise<unknown> }): Command {
  const ari = new Command('ari')
    .description('Run the ARI gateway, and manage its suppliers, keys, tokens and reference data')
    .version(options.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText(
      'after',
      `
Examples:
  ari serve                                  start the service (as npm start does)
  ari key create --supplier "Sea View"       create a key, and the supplier if it doesn't exist
  ari key list --json                        every key as JSON
  ari token create --role platform           create a token for the booking platform
  ari operator create --name N --role admin  create an operator of the console
  ari reference room-type list               list the room types that products can have
  ari simulate supplier --key ari_sbx_…      start a supplier's server, to try price checks and reservations
  ari deliveries list --status dead          list reservations that could not be delivered
  ari doctor                                 check the installation and say what to fix

The commands work whether or not the service is running. They find the store by the same settings
(ARI_DATA_DIR or DATABASE_URL, from the environment or .env), so run them in the service's folder. Only serve
and migrate create a store. With npm, -s keeps npm's own lines out of the output: npm run -s ari -- …
Exit code: 0 success, 1 failure, 2 wrong usage.`,
    )
  ari
    .command('serve')
    .description('start the service')
    .action(async () => void (await options.serve()))
  ari
    .command('migrate')
    .description('create a store or migrate its schema; the service also does this at every start')
    .option('--json', 'print JSON')
    .action((given: { json?: boolean }) =>
      withSession(async ({ migrated: { applied, version } }) => {
        const done = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`
        printOutcome(given, { applied, version }, `The schema is at ${version}: ${done}`)
      }, 'create'),
    )
  ari.addCommand(healthCommand())
  ari.addCommand(doctorCommand(options.version))
  ari.addCommand(supplierCommand())
  ari.addCommand(keyCommand())
  ari.addCommand(tokenCommand())
  ari.addCommand(operatorCommand())
  ari.addCommand(referenceCommand())
  ari.addCommand(simulateCommand())
  ari.addCommand(deliveriesCommand())
  ari.addCommand(vaultCommand())
  ari.addCommand(backupCommand(options.version))
  ari.addCommand(storeCommand(options.version))
  ari.addCommand(afterRestoreCommand())
  ari.on('beforeAllHelp', refuseUnknownCommand)
  return ari
}

/** Otherwise `ari webhook --help` would print the help of `ari`, as if there were such a command. */
function refuseUnknownCommand({ command }: { command: Command }): void {
  const [first, ...others] = command.args
  const named = first === 'help' ? others[0] : first
  if (named === undefined || named.startsWith('-') || command.commands.length === 0) return
  if (command.commands.some((one) => one.name() === named) || named === 'help') return
  const path = command.parent ? `ari ${command.name()}` : 'ari'
  command.error(`error: unknown command '${named}' (${path} --help lists the commands)`)
}
