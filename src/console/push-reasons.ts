import { constants, zstdDecompressSync } from 'node:zlib'
import type { Queryable } from '../platform/postgres.ts'
import { elementSpans } from './json-text.ts'
import type { PushReason } from './push-contract.ts'
import { readAnswer } from './push-items.ts'
import { selectBegunAnswers, type BegunAnswer, type LoggedPush } from './push-store.ts'

/**
 * Why the pushes of a page were not applied, or not all of them. An answer of many items is long: it is read up to a
 * bound, and of that no more is parsed than its first problem.
 */

/** As they are kept: packed, a tenth or less. What repeats itself unpacks to hundreds of times as much, for each row. */
const keptBytesMax = 8 * 1024
const unpackedBytesMax = 4 * 1024 * 1024
const charactersMax = 256 * 1024

/** By the push's number; those without problems are absent. */
export async function readPushReasons(
  db: Queryable,
  pushes: readonly LoggedPush[],
): Promise<ReadonlyMap<number, PushReason>> {
  // 200 says that all is well, of a dry run too.
  const failed = pushes.filter(({ status }) => status !== 200)
  const begunById = new Map(
    (await selectBegunAnswers(db, failed, keptBytesMax)).map((begun) => [begun.pushId, begun]),
  )
  return new Map(
    failed.flatMap(({ pushId, status }) => {
      const begun = begunById.get(pushId)
      const beginning = begun && beginningOf(begun)
      const reason = beginning && reasonIn(beginning, status === 207)
      return reason ? [[pushId, reason] as const] : []
    }),
  )
}

type Beginning = { text: string; isWhole: boolean }

function beginningOf({ encoding, begun, isWhole }: BegunAnswer): Beginning | undefined {
  const bytes = encoding === 'zstd' ? unpackedBeginning(begun) : begun
  return (
    bytes && {
      text: bytes.toString('utf8', 0, charactersMax),
      isWhole: isWhole && bytes.length <= charactersMax,
    }
  )
}

/** Undefined where the one row can't be read, or unpacks to too much: the others are shown all the same. */
function unpackedBeginning(begun: Buffer): Buffer | undefined {
  try {
    return zstdDecompressSync(begun, {
      finishFlush: constants.ZSTD_e_flush,
      maxOutputLength: unpackedBytesMax,
    })
  } catch {
    return undefined
  }
}

/** Members of our own JSON; within its strings the quotes are escaped. */
const errorLists = /"errors":(?=\[)/g
const unlistedCounts = /"moreErrors":(\d+)/g
const firstResult = '"results":['

/** An answer in part has its problems in the results; a refusal has all of them before it tells of items. */
function reasonIn({ text, isWhole }: Beginning, isInPart: boolean): PushReason | undefined {
  const end = isInPart ? -1 : text.indexOf(firstResult)
  const told = end === -1 ? text : text.slice(0, end)
  const spans = [...told.matchAll(errorLists)].flatMap(({ index, 0: { length } }) =>
    elementSpans(told, { from: index + length, to: told.length }),
  )
  const [first] = spans
  const [problem] = first ? readAnswer(`{"errors":[${told.slice(first.from, first.to)}]}`).errors : []
  if (!problem) return undefined
  // The last one is of all items together.
  const unlisted = Number([...told.matchAll(unlistedCounts)].at(-1)?.[1] ?? 0)
  const isCounted = isWhole || end !== -1
  return {
    type: problem.type,
    message: problem.message,
    more: isCounted ? spans.length - 1 + unlisted : null,
  }
}
