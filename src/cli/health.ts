import { Command } from 'commander'
import { loadConfig } from '../settings/config.ts'
import { addressOf, announcedAddress } from '../settings/service-address.ts'
import { printLine } from './print.ts'

const answersWithinMs = 4_000

/** For containers and supervisors, whose image may have neither a shell nor curl. */
export function healthCommand(): Command {
  return new Command('health')
    .description('check that the service of this folder is alive; exit code 0 if it is, otherwise 1')
    .option('--ready', 'check that it is ready for requests, not only alive')
    .action(async ({ ready }: { ready?: boolean }) => {
      const { settings } = loadConfig()
      const address =
        settings.port === 0
          ? (announcedAddress(settings.dataDir, 'gateway') ?? announcedAddress(settings.dataDir, 'console'))
          : addressOf(settings)
      if (address === undefined)
        throw new Error('No running service has written its address to the data folder')
      printLine(await answerOf(`${address}/${ready === true ? 'readyz' : 'livez'}`))
    })
}

async function answerOf(url: string): Promise<string> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(answersWithinMs),
    redirect: 'error',
  }).catch((cause: unknown) => {
    throw new Error(`${url} does not answer`, { cause })
  })
  const text = (await response.text()).trim()
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text}`)
  return text
}
