const listedTimeZones: ReadonlySet<string> = new Set(Intl.supportedValuesOf('timeZone'))

/** Region/city: at least two parts, each beginning with a capital letter. No offset has this form. */
const regionCityPattern = /^[A-Z][A-Za-z_]*(?:\/[A-Z][A-Za-z0-9_+-]*){1,2}$/

/** The longest name of the IANA database has 32 characters. */
const maxTimeZoneCharacters = 64

/**
 * Whether a name is a time zone that a hotel may have: a zone or an alias of the IANA database in region/city
 * form (`Europe/Paris`, `America/Argentina/Buenos_Aires`, and the older and newer names of a zone alike:
 * `Asia/Calcutta` and `Asia/Kolkata`, `US/Eastern`, `Etc/UTC`), or `UTC`, which is what a hotel without a zone has.
 *
 * Not accepted, although the IANA database knows some of them: offsets (`+02:00`), names of one word other
 * than `UTC` (`CET`, `EST5EDT`, `Japan`), as the specification asks for region/city, and names in another case
 * (`europe/paris`), which other systems that read them back would refuse.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC' || listedTimeZones.has(name)) return true
  if (name.length > maxTimeZoneCharacters || !regionCityPattern.test(name)) return false
  return canonicalCase(name) === name
}

/** The name as the IANA database writes it, aliases kept: Intl would put the main name in an alias's place. */
function canonicalCase(name: string): string | undefined {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch (error) {
    if (error instanceof RangeError) return undefined // The only way to ask whether a zone exists.
    throw error
  }
}
