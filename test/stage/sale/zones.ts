/** Instants and dates of hotels, without any code of src/. */

const formats = new Map<string, Intl.DateTimeFormat>()

function offsetText(zone: string, atMs: number): string {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  formats.set(zone, format)
  const found = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')
  return found?.value.replace('GMT', '') || '+00:00'
}

function offsetMs(zone: string, atMs: number): number {
  const [hours = 0, minutes = 0] = offsetText(zone, atMs).slice(1).split(':').map(Number)
  return (offsetText(zone, atMs).startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/** "18:00" on a date, in the hotel's zone; the time is one that every day has once. */
export function instantIn(zone: string, date: string, time: string): number {
  const asUtc = Date.parse(`${date}T${time}:00Z`)
  const near = asUtc - offsetMs(zone, asUtc)
  return asUtc - offsetMs(zone, near)
}

/** "2027-03-28T18:00:00+02:00". */
export function instantText(zone: string, atMs: number): string {
  return `${localText(zone, atMs)}${offsetText(zone, atMs)}`
}

export function dateIn(zone: string, atMs: number): string {
  return localText(zone, atMs).slice(0, 10)
}

function localText(zone: string, atMs: number): string {
  return new Date(atMs + offsetMs(zone, atMs)).toISOString().slice(0, 19)
}
