import type { Mail } from '../alerts/channels/channels.ts'
import { signInUrl } from '../operators/sessions/session-store.ts'
import { signUpLimits } from '../operators/sign-up-contract.ts'

/** To an address without an account, with one that it may sign in to, and with one that it may not. */
export type MailKind = 'new' | 'again' | 'taken'

/** Nothing of what a visitor typed is in a mail: nobody can send texts of their own through it. */
export const mailTexts: Readonly<
  Record<MailKind, (publicUrl: string, token: string) => Pick<Mail, 'subject' | 'text'>>
> = {
  new: (publicUrl, token) => ({
    subject: 'Confirm your sandbox account',
    text: `Somebody, most likely you, asked for an account in the sandbox at ${publicUrl}

This link makes it, and signs you in. It works once, within ${signUpLimits.linkHours} hours:
${signInUrl(publicUrl, token)}

If it wasn't you, do nothing: without the link there is no account.
`,
  }),
  again: (publicUrl, token) => ({
    subject: 'Sign in to your sandbox account',
    text: `You have an account in the sandbox at ${publicUrl} already. Its name is this e-mail address.

If you forgot the password, this link signs you in. It works once, within an hour:
${signInUrl(publicUrl, token)}

If you didn't ask for it, do nothing.
`,
  }),
  taken: (publicUrl) => ({
    subject: 'You have an account already',
    text: `Somebody, most likely you, asked for an account in the sandbox at ${publicUrl}
There is one with this e-mail address already, which can't be made again. If you can't sign in, ask the platform for a link.
`,
  }),
}
