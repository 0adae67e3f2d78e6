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

This link creates it and signs you in. It works once, within ${signUpLimits.linkHours} hours:
${signInUrl(publicUrl, token)}

If it wasn't you, do nothing: no account is created unless the link is used.
`,
  }),
  again: (publicUrl, token) => ({
    subject: 'Sign in to your sandbox account',
    text: `You already have an account in the sandbox at ${publicUrl}. Its name is this e-mail address.

If you forgot the password, this link signs you in. It works once, within an hour:
${signInUrl(publicUrl, token)}

If you didn't ask for it, do nothing.
`,
  }),
  taken: (publicUrl) => ({
    subject: 'You already have an account',
    text: `Somebody, most likely you, asked for an account in the sandbox at ${publicUrl}
An account with this e-mail address already exists. If you can't sign in, ask the platform for a link.
`,
  }),
}
