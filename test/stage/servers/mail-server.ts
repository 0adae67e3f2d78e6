import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail server for tests: it speaks SMTP, and keeps what it receives. */

export type ReceivedMail = { from: string; to: string[]; text: string }
export type MailServer = {
  /** For `ARI_SMTP_URL`. */
  url: string
  mails: ReceivedMail[]
  /** From now on, every mail is refused. */
  refuse: (isRefusing: boolean) => void
  close: () => Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  let isRefusing = false
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) => {
      const isRight = username === 'ari' && password === 'secret'
      if (isRight) done(null, { user: username })
      else done(new Error('wrong password'))
    },
    onRcptTo: (_address, _session, done) => (isRefusing ? done(new Error('mailbox unavailable')) : done()),
    onData: (stream, { envelope }, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ from, to, text: Buffer.concat(parts).toString() })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  // The boundary: a server that listens on a port has such an address.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://ari:secret@127.0.0.1:${port}`,
    mails,
    refuse: (refusing) => {
      isRefusing = refusing
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
