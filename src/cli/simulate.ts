import { createInterface } from 'node:readline'
import { Command, InvalidArgumentError, Option } from 'commander'
import { loadConfig, readSecretFile } from '../settings/config.ts'
import { systemClock } from '../base/clock.ts'
import { type SimulatedCall, isSecret } from '../simulate/answer.ts'
import {
  described,
  readFaultOrder,
  readFaultOrders,
  simulatedFaults,
  type FaultOrder,
} from '../simulate/faults.ts'
import { renderCall } from '../simulate/render-call.ts'
import { startSupplier, type SimulatedSupplier } from '../simulate/supplier.ts'
import { addressOf, announcedAddress } from '../settings/service-address.ts'
import { integerBetween } from './arguments.ts'
import { paint, printJson, printLine, remark } from './print.ts'

type Given = {
  url?: string
  key?: string
  keyFile?: string
  host: string
  port: number
  publicUrl?: string
  signingSecret: string[]
  signingSecretFile?: string
  fault: FaultOrder[]
  resync?: boolean
  json?: boolean
}

const portMax = 65_535
const faultList = simulatedFaults.map((fault) => `  ${fault.padEnd(22)} ${described[fault].does}`).join('\n')

export function simulateCommand(): Command {
  const simulate = new Command('simulate')
    .description('simulate the other side, to try out the service')
    .addHelpText(
      'after',
      `
Examples:
  ari simulate supplier --key ari_sbx_…
  ari simulate supplier --key ari_sbx_… --fault dearer --json`,
    )
  addSupplier(simulate)
  return simulate
}

function addSupplier(simulate: Command): void {
  simulate
    .command('supplier')
    .description(
      "run a supplier's server that answers price checks from what was pushed, and accepts reservations",
    )
    .addOption(
      new Option(
        '--url <url>',
        'address of the gateway; by default that of PORT, or of the service in this folder',
      ).env('ARI_URL'),
    )
    .addOption(
      new Option(
        '--key <apiKey>',
        "the supplier's API key; other users of this machine can see it, unlike --key-file",
      ).env('ARI_API_KEY'),
    )
    .addOption(
      new Option('--key-file <file>', 'a file that contains the key')
        .env('ARI_API_KEY_FILE')
        .conflicts('key'),
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--port <n>',
      'port to listen on; 0 for any that is free',
      integerBetween({ min: 0, max: portMax }),
      0,
    )
    .option('--public-url <url>', 'the URL that the gateway calls, if it differs (a tunnel, a proxy)')
    .option(
      '--signing-secret <secret>',
      'signing secret from an earlier registration; give both during a rotation',
      eachSecret,
      [],
    )
    .addOption(
      new Option('--signing-secret-file <file>', 'a file with the signing secrets, one per line').env(
        'ARI_SIGNING_SECRET_FILE',
      ),
    )
    .option(
      '--fault <order>',
      'a fault to simulate, starting with the first call; can be repeated',
      addFault,
      [],
    )
    .option('--resync', 'also accept alerts, and push a hotel again when the platform asks for all its ARI')
    .option('--json', 'print a JSON line for each call')
    .addHelpText('after', helpAfter)
    .action(run)
}

const helpAfter = `
It registers its URLs on the API key, in place of those registered before. For the gateway to call it on this machine,
start the gateway with ARI_ALLOW_PRIVATE_WEBHOOKS=true.

Faults:
${faultList}
FAULT:check or FAULT:booking restricts a fault to price checks or reservations, FAULT:3 to three calls.
While it runs, type: fault FAULT (replaces earlier faults; separate several by commas), fault none, or quit.

Examples:
  ari simulate supplier --key ari_sbx_…
  ari simulate supplier --key ari_sbx_… --fault dearer
  ari simulate supplier --key ari_sbx_… --resync
  ari simulate supplier --key ari_sbx_… --fault 500:booking:2 --fault hang:check:1
  ari simulate supplier --key-file key.txt --signing-secret-file secrets.txt
  ari simulate supplier --key ari_sbx_… --public-url https://tunnel.example.com --signing-secret whsec_…`

function eachSecret(text: string, before: readonly string[]): string[] {
  if (isSecret(text)) return [...before, text]
  throw new InvalidArgumentError('It must be a signing secret (whsec_…).')
}

function addFault(text: string, before: readonly FaultOrder[]): FaultOrder[] {
  const order = readFaultOrder(text)
  if ('problem' in order) throw new InvalidArgumentError(`${order.problem}.`)
  return [...before, order]
}

function apiKeyOf({ key, keyFile }: Given): string {
  if (key !== undefined) return key
  if (keyFile !== undefined) return readSecretFile('--key-file', keyFile)
  throw new Error('the API key is missing: --key-file FILE, ARI_API_KEY or --key')
}

/** The stated address; otherwise that of the service that runs, or would run, in this folder. */
function gatewayAddress(): string {
  const { settings } = loadConfig()
  const running = settings.addressIsStated ? undefined : announcedAddress(settings.dataDir, 'gateway')
  return running ?? addressOf(settings)
}

function secretsOf({ signingSecret, signingSecretFile: file }: Given): string[] {
  if (file === undefined) return signingSecret
  let secrets: string[] = signingSecret
  for (const line of readSecretFile('--signing-secret-file', file).split(/\s+/))
    if (line !== '') secrets = eachSecret(line, secrets)
  return secrets
}

async function run(given: Given): Promise<void> {
  const { json, fault: faults } = given
  const [apiKey, secrets] = [apiKeyOf(given), secretsOf(given)]
  const supplier = await startSupplier({
    ...given,
    url: given.url ?? gatewayAddress(),
    apiKey,
    secrets,
    faults,
    takesAlerts: given.resync,
    clock: systemClock,
    onCall: (call) => {
      if (json) printJson(call)
      else printCall(call)
    },
  })
  sayReady(supplier, json)
  await untilStopped(supplier)
  await supplier.close()
}

/** Prints the time before the first line. */
function printCall(call: SimulatedCall): void {
  const time = call.at.slice(11, 19)
  for (const [index, line] of renderCall(call, paint).entries()) {
    printLine(`${index === 0 ? paint('dim', time) : ' '.repeat(time.length)}  ${line}`)
  }
}

function sayReady({ urls, newSecret, newAlertSecret, hasSecret }: SimulatedSupplier, json = false): void {
  const secrets = {
    ...(newSecret === undefined ? {} : { signingSecret: newSecret }),
    ...(newAlertSecret === undefined ? {} : { alertSigningSecret: newAlertSecret }),
  }
  if (json) return printJson({ ready: true, urls, ...secrets })
  printLine(`Price checks at ${urls.priceCheck}`)
  printLine(`Reservations at ${urls.booking}`)
  if (urls.alerts !== undefined) printLine(`Alerts at ${urls.alerts}`)
  if (newAlertSecret !== undefined)
    printLine(`Signing secret of alerts  ${newAlertSecret}  (a second --signing-secret)`)
  if (newSecret !== undefined)
    printLine(`Signing secret  ${newSecret}  (for --signing-secret at the next start)`)
  else if (!hasSecret) {
    remark(
      'Signatures are not verified: the key already has a signing secret, so pass it with --signing-secret. For a new one: POST /push/webhook/rotate, or ari key rotate-signing-secret',
    )
  }
  printLine('Waiting for calls; press Ctrl-C to stop.')
}

/** Waits for a signal or "quit". The end of the input is ignored, because there may never have been any. */
function untilStopped(supplier: SimulatedSupplier): Promise<void> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin })
    const stop = (): void => {
      lines.close()
      process.stdin.destroy()
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
    lines.on('line', (line) => {
      if (line.trim() === 'quit') stop()
      else command(line.trim(), supplier)
    })
  })
}

function command(line: string, supplier: SimulatedSupplier): void {
  if (line === '') return
  if (line === 'fault none') {
    supplier.orderNothing()
    return remark('No faults from now on.')
  }
  const [, text = ''] = /^fault\s+(.*)$/.exec(line) ?? []
  if (text === '') return remark('Type: fault FAULT, fault none, or quit.')
  const orders = readFaultOrders(text)
  if ('problem' in orders) return remark(`${orders.problem}.`)
  supplier.orderNothing()
  for (const order of orders) supplier.order(order)
  remark(`From the next call on: ${text}.`)
}
