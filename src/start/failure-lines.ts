import { WrongSettings } from '../settings/config.ts'
import { Rejected } from '../http/rejected.ts'
import { isUnavailable } from '../postgres/connections/store-errors.ts'

/** The reason that a program stopped, in lines for the person who ran it: never a stack trace. */
export function failureLines(error: unknown): string[] {
  if (error instanceof WrongSettings) return [...error.lines]
  if (error instanceof Rejected) {
    return error.problems.map(({ message, hint }) => oneLine(hint ? `${message} (${hint})` : message))
  }
  if (isUnavailable(error)) {
    return [
      `PostgreSQL can't be reached (${oneLine(textOf(error))}): start it, or correct DATABASE_URL, if it is set`,
    ]
  }
  return [oneLine(textOf(error))]
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A name that resolves to several addresses fails with one error for each and no text of its own.
  if (error.message === '' && error instanceof AggregateError) return error.errors.map(textOf).join('; ')
  return error.message === '' ? error.name : error.message
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
