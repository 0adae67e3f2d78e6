/** A JSON value as a tree of named places; a place is its JSON Pointer. */

export type Place = string

export const rootPlace: Place = ''

export function placeOf(parent: Place, name: string): Place {
  return `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

export type Member = { name: string; place: Place; value: unknown }

export function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function membersOf(value: object, place: Place): Member[] {
  return Object.entries(value).map(([name, member]: [string, unknown]) => ({
    name,
    place: placeOf(place, name),
    value: member,
  }))
}

export function leafText(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** Beyond this a search says only that there are more. */
export const matchesMax = 500
/** Values looked at in one search: a year of ARI has more than a browser should walk at every keystroke. */
const walkedMax = 400_000

/** Where a name or a value holds the text, whatever its case; in the order of the document. */
export function placesWith(root: unknown, text: string): { places: Place[]; isAll: boolean } {
  const sought = text.toLowerCase()
  const places: Place[] = []
  const waiting: Member[] = [{ name: '', place: rootPlace, value: root }]
  let walked = 0
  for (let member = waiting.pop(); member; member = waiting.pop()) {
    if (places.length >= matchesMax || ++walked > walkedMax) return { places, isAll: false }
    const { name, place, value } = member
    const isFound =
      name.toLowerCase().includes(sought) ||
      (!isBranch(value) && leafText(value).toLowerCase().includes(sought))
    if (isFound) places.push(place)
    if (isBranch(value)) waiting.push(...membersOf(value, place).reverse())
  }
  return { places, isAll: true }
}

/** The branches that must be open for a place to be seen. */
export function placesAbove(place: Place): Place[] {
  const parts = place.split('/')
  return parts.slice(0, -1).map((_, depth) => parts.slice(0, depth + 1).join('/'))
}

/** Branches of the first levels, so that a small body is read without a click. */
export function openAtFirst(root: unknown, { depth, most }: { depth: number; most: number }): Set<Place> {
  const open = new Set<Place>()
  let level: Member[] = [{ name: '', place: rootPlace, value: root }]
  for (let deep = 0; deep < depth; deep++) {
    const next: Member[] = []
    for (const { value, place } of level) {
      if (!isBranch(value)) continue
      if (open.size >= most) return open
      open.add(place)
      next.push(...membersOf(value, place).slice(0, most))
    }
    level = next
  }
  return open
}
