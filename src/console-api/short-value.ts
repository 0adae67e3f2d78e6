const charactersMax = 2_000

/** A value from a body, of any size, as it is shown: of a long one, the beginning of its JSON. */
export function shortValue(value: unknown): unknown {
  const json = JSON.stringify(value)
  return json.length <= charactersMax ? value : `${json.slice(0, charactersMax).toWellFormed()}…`
}
