const prefix = 'hld_'
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The UUID of a hold's public id; undefined for anything else, which nobody can have received. */
export function readHoldId(holdId: string): string | undefined {
  const id = holdId.startsWith(prefix) ? holdId.slice(prefix.length) : ''
  return uuid.test(id) ? id : undefined
}

export function holdIdOf(id: string): string {
  return `${prefix}${id}`
}
