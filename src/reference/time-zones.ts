const listedTimeZones: ReadonlySet<string> = new Set(Intl.supportedValuesOf('timeZone'))

/** Region/city: at least two parts, each beginning with a capital letter. No offset has this form. */
const regionCityPattern = /^[A-Z][A-Za-z_]*(?:\/[A-Z][A-Za-z0-9_+-]*){1,2}$/

/** The longest name of the IANA database has 32 characters. */
const maxTimeZoneCharacters = 64

/**
 * Whether a hotel may have this time zone: a zone or an alias of the IANA database in region/city form
 * (`Europe/Paris`, `America/Argentina/Buenos_Aires`, and both older and newer names of a zone:
 * `Asia/Calcutta` and `Asia/Kolkata`, `US/Eastern`, `Etc/UTC`), or `UTC`, the default of a hotel without a
 * zone.
 *
 * Not accepted, although the IANA database has some of them: offsets (`+02:00`), names of one word other than
 * `UTC` (`CET`, `EST5EDT`, `Japan`), because the specification requires region/city, and names in another
 * case (`europe/paris`), which other systems would refuse when they read them back.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC' || listedTimeZones.has(name)) return true
  if (name.length > maxTimeZoneCharacters || !regionCityPattern.test(name)) return false
  return canonicalCase(name) === name
}

/** The name in the IANA database's spelling, keeping aliases: Intl would replace them by the main name. */
function canonicalCase(name: string): string | undefined {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch (error) {
    if (error instanceof RangeError) return undefined // The only way to ask whether a zone exists.
    throw error
  }
}
