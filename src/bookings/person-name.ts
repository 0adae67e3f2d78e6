import type { PersonName } from './state.ts'

/** A name as it is sent: one of one word has one of the members. */
type SentName = { firstName?: string; lastName?: string }

/** A name of one word is stored and delivered as the family name, by which hotels look guests up. */
export function personName({ firstName = '', lastName = '' }: SentName): PersonName {
  return lastName === '' ? { firstName: '', lastName: firstName } : { firstName, lastName }
}
