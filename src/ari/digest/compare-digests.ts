import { digestEntriesMax, type DigestGroup, type DigestLevel, type KnownEntry } from './digest-contract.ts'
import { nothingSet, productKey, type ByGroup } from './digest.ts'

/** One side's digests of a product, or of its month or day; of the hotel without any of these. */
export type DigestEntry = Omit<KnownEntry, DigestGroup> & { values: ByGroup }

type Named = Omit<KnownEntry, DigestGroup>
type Texts = Partial<Record<DigestGroup, string>>
export type Comparison = {
  digests?: (Named & Texts)[]
  differs?: (Named & { groups: DigestGroup[]; theirs: Texts; ours: Texts })[]
  onlyHere?: (Named & Texts)[]
  onlyThere?: (Named & Texts)[]
  nextCursor?: string | null
}

/** Entries are in the order of these texts, by their bytes. No key contains a control character. */
export function positionOf({ roomId, rateId, month, date }: Named): string {
  return `${roomId === undefined ? '' : productKey(roomId, rateId)}\0${month ?? date ?? ''}`
}

type Pair = { named: Named; ours: ByGroup; theirs: ByGroup }

/** A page of our entries, or of how they differ from the known ones; from behind the position `after`. */
export function compareDigests(
  here: readonly DigestEntry[],
  known: readonly DigestEntry[] | undefined,
  { groups, after }: { groups: readonly DigestGroup[]; after: Buffer | undefined },
): Comparison {
  const pairs = new Map<string, Pair>()
  for (const { values, ...named } of here)
    pairs.set(positionOf(named), { named, ours: values, theirs: nothingSet })
  for (const { values, ...named } of known ?? []) {
    const position = positionOf(named)
    const pair = pairs.get(position)
    if (pair) pair.theirs = values
    else pairs.set(position, { named, ours: nothingSet, theirs: values })
  }
  const listed: { position: Buffer; pair: Pair; differing: DigestGroup[] }[] = []
  for (const [text, pair] of pairs) {
    const position = Buffer.from(text)
    if (after && Buffer.compare(position, after) <= 0) continue
    const differing = groups.filter((group) => pair.ours[group] !== pair.theirs[group])
    if (differing.length > 0) listed.push({ position, pair, differing })
  }
  listed.sort((left, right) => Buffer.compare(left.position, right.position))
  const page = listed.slice(0, digestEntriesMax)
  const nextCursor =
    page.length < listed.length ? (page.at(-1)?.position.toString('base64url') ?? null) : null
  if (!known)
    return { digests: page.map(({ pair }) => ({ ...pair.named, ...only(groups, pair.ours) })), nextCursor }
  const comparison: Required<Omit<Comparison, 'digests'>> = {
    differs: [],
    onlyHere: [],
    onlyThere: [],
    nextCursor,
  }
  for (const { pair, differing } of page) {
    const [ours, theirs] = [only(groups, pair.ours), only(groups, pair.theirs)]
    if (Object.keys(theirs).length === 0) comparison.onlyHere.push({ ...pair.named, ...ours })
    else if (Object.keys(ours).length === 0) comparison.onlyThere.push({ ...pair.named, ...theirs })
    else
      comparison.differs.push({
        ...pair.named,
        groups: differing,
        theirs: only(differing, theirs),
        ours: only(differing, ours),
      })
  }
  return comparison
}

/** The groups that have anything. */
export function only(groups: readonly DigestGroup[], values: Texts): Texts {
  return Object.fromEntries(groups.flatMap((group) => (values[group] ? [[group, values[group]]] : [])))
}

/** The members that name an entry of a level. */
export const namesAt: Readonly<Record<DigestLevel, readonly (keyof Named)[]>> = {
  hotel: [],
  product: ['roomId', 'rateId'],
  month: ['roomId', 'rateId', 'month'],
  day: ['roomId', 'rateId', 'date'],
}

/** What a request is limited to, besides its filters of codes and its dates. */
export function monthsWithin(within: readonly Named[] | undefined): ReadonlySet<string> | undefined {
  return within && new Set(within.map(positionOf))
}

/** The caller's side as far as it was requested, by the same limits that apply to ours. */
export function knownWithin(
  known: readonly KnownEntry[],
  {
    roomIds,
    rateIds,
    within,
  }: { roomIds?: readonly string[]; rateIds?: readonly string[]; within?: readonly Named[] },
  { from, to }: { from: string; to: string },
): DigestEntry[] {
  const months = monthsWithin(within)
  const isRequested = ({ roomId, rateId, month, date }: KnownEntry): boolean => {
    const ofMonth = month ?? date?.slice(0, 7)
    return (
      (!roomIds || roomId === undefined || roomIds.includes(roomId)) &&
      (!rateIds || rateId === undefined || rateIds.includes(rateId)) &&
      (date === undefined || (date >= from && date <= to)) &&
      (ofMonth === undefined || (ofMonth >= from.slice(0, 7) && ofMonth <= to.slice(0, 7))) &&
      (!months ||
        ofMonth === undefined ||
        months.has(positionOf({ ...nameOf({ roomId, rateId }), month: ofMonth })))
    )
  }
  return known
    .filter(isRequested)
    .map(({ inv = '', res = '', pri = '', ...names }) => ({ ...names, values: { inv, res, pri } }))
}

function nameOf({ roomId, rateId }: { roomId: string | undefined; rateId: string | undefined }): Named {
  return { ...(roomId === undefined ? {} : { roomId }), ...(rateId === undefined ? {} : { rateId }) }
}
