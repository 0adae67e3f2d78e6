import { counted } from '../../base/counted.ts'
import { formatNight, instantOf } from '../../base/calendar.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { answer } from '../../http/calls/mount.ts'
import { Rejected, rejectedBody } from '../../http/rejected.ts'
import { warningMembers } from '../../http/calls/warnings.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { inShort, type PushRecord } from '../../push-log/keep/keep.ts'
import { BeforeValues } from '../blocks/before-values.ts'
import type { Blocks } from '../blocks/block.ts'
import type { Stamp } from '../blocks/stamp.ts'
import { unset } from '../blocks/block-codec.ts'
import { fieldNumber, guestBucket, isGuestPriceField, isPriceField } from '../fields.ts'
import type { PricingModel } from '../item-contract.ts'
import { judgeUndo, type JudgedUndo, type Restored, type UndoRange } from '../history/judge-undo.ts'
import { nightsIn, type NightMask } from '../blocks/month.ts'
import type { ReadyPush } from '../judge/plan.ts'
import { historyFieldOf, originOf, valueOf, type Names } from '../history/replaced-values.ts'
import { namesOf, numbersOf } from '../catalog/row-names.ts'
import { ratesOfRoom } from '../catalog/catalog.ts'
import { countCells, type HeldPart } from '../guard/held-parts.ts'
import { holdIdOf } from '../guard/hold-id.ts'
import { lockHoldsOfPush } from '../guard/hold-store.ts'
import type { OpenHolds } from '../guard/open-holds.ts'
import type { LockedHotel, ModelChange } from '../blocks/store.ts'
import {
  notUndone,
  undoErrors,
  undoRangesMax,
  type UndoConflict,
  type UndoneChange,
  type UndoOutcome,
} from '../history/undo-contract.ts'
import { noteLaterChanges, refuseFormerCurrency, type Changer, type UndoPlan } from '../history/undo-plan.ts'

type HoldEnded = NonNullable<UndoOutcome['holdsEnded']>[number]
export type ReadyUndo = ReadyPush & { undo: UndoPlan }

type UndoTo = { hotel: LockedHotel; blocks: Blocks; models: Map<string, ModelChange>; holds: OpenHolds }

/**
 * Applies an undo to the blocks of its hotel, which the caller has locked, as `applyPush` applies a push. What changed
 * since it was planned is read first, so that every conflict names its origin.
 */
export async function applyUndo(
  connection: Queryable,
  ready: ReadyUndo,
  { hotel, blocks, models, holds }: UndoTo,
  nowMs: number,
): Promise<PushRecord> {
  const { undo, catalog, push } = ready
  refuseFormerCurrency(undo, hotel.currencyRevision)
  await noteLaterChanges(connection, undo, hotel.cellsRevision, blocks)
  const judged = await judgeUndo(undo, blocks, {
    firstNight: todayIn(catalog, nowMs) - 1,
    ratesOf: (roomNo) => ratesOfRoom(catalog, roomNo),
  })
  const isRefused = undo.body.onConflict === 'skip' ? isAnyUnseen(undo, judged) : judged.conflicts.length > 0
  let before: Buffer | undefined
  if (!isRefused && undo.body.dryRun !== true && judged.restored.length > 0) {
    const noted = new BeforeValues()
    const { currencyRevision } = hotel
    const stamp = {
      revision: hotel.revision + 1,
      sequence: undefined,
      keyId: push.caller.keyId,
      currencyRevision,
      before: noted,
    }
    for (const restored of judged.restored) {
      putBack(restored, stamp)
      noteModel(ready, restored, models)
    }
    hotel.revision++
    before = noted.encode(hotel.revision, hotel.cellsRevision)
    hotel.cellsRevision = hotel.revision
  }
  const holdsEnded = isRefused ? [] : await endHolds(connection, ready, holds)
  const record = answerUndo(ready, judged, { revision: hotel.revision, isRefused, holdsEnded })
  return { ...record, kept: { ...record.kept, before } }
}

/** Ends what the guard holds of the push; in a dry run, says what it would end. */
async function endHolds(
  connection: Queryable,
  { undo: { target, body }, catalog }: ReadyUndo,
  holds: OpenHolds,
): Promise<HoldEnded[]> {
  const { roomNos } = numbersOf(body.roomIds ? { roomIds: body.roomIds } : {}, catalog)
  const isUndone = ({ roomNo, field }: HeldPart): boolean => {
    const name = historyFieldOf(field)
    return (roomNos?.includes(roomNo) ?? true) && (body.fields?.some((one) => one === name) ?? true)
  }
  const found = await lockHoldsOfPush(connection, catalog.hotelId, target)
  const ended = found.map((hold) => {
    if (body.dryRun === true) return { hold, parts: hold.parts.filter(isUndone) }
    holds.read(hold)
    return { hold, parts: holds.undo(hold.id, isUndone) }
  })
  return ended
    .map(({ hold, parts }) => ({ holdId: holdIdOf(hold.id), cells: countCells(parts) }))
    .filter(({ cells }) => cells > 0)
}

function isAnyUnseen({ seenRevision = Infinity }: UndoPlan, { conflicts }: JudgedUndo): boolean {
  return conflicts.some(({ changedAt }) => changedAt > seenRevision)
}

function putBack({ key, block, sets }: Restored, stamp: Stamp): void {
  stamp.before?.at(key, key.month)
  for (const { field, mask, nights } of sets) {
    const maskByValue = new Map<number, NightMask>()
    for (const night of nightsIn(mask)) {
      const value = nights[night] ?? unset
      maskByValue.set(value, (maskByValue.get(value) ?? 0) | (1 << night))
    }
    for (const [value, same] of maskByValue) block.set(field, same, value, stamp)
  }
}

/** The pricing model of a room-rate is that of the prices it gets back, if they are all of one. */
function noteModel({ catalog }: ReadyPush, { key, sets }: Restored, models: Map<string, ModelChange>): void {
  const { hotelId, roomNo, rateNo } = key
  const found = new Set<PricingModel>()
  for (const { field, nights } of sets) {
    if (isPriceField(field) && nights.some((value) => value !== unset))
      found.add(field === fieldNumber.unitPrice ? 'unit' : 'guest')
  }
  const [pricingModel, other] = found
  if (pricingModel === undefined || other !== undefined) return
  if (catalog.productOf(roomNo, rateNo)?.pricingModel === pricingModel) return
  models.set(`${hotelId}/${roomNo}/${rateNo}`, { hotelId, roomNo, rateNo, pricingModel })
}

function answerUndo(
  { push, catalog, undo }: ReadyUndo,
  judged: JudgedUndo,
  {
    revision,
    isRefused,
    holdsEnded,
  }: { revision: number; isRefused: boolean; holdsEnded: readonly HoldEnded[] },
): PushRecord {
  const { requestId, warnings } = push
  const isDryRun = undo.body.dryRun === true
  const outcome = outcomeOf(undo, judged, namesOf(catalog), {
    hotelId: catalog.hotelCode,
    revision,
    ...(holdsEnded.length > 0 ? { holdsEnded: [...holdsEnded] } : {}),
  })
  const cellsChanged = isDryRun || isRefused ? 0 : judged.cellsChanged
  const kept = { hotelId: catalog.hotelId, hotelCode: catalog.hotelCode, revision, cellsChanged }
  const conflict = judged.conflicts.length > 0 ? conflictOf(judged.cellsInConflict) : undefined
  const problems = conflict && inShort([conflict])
  if (conflict && isRefused) {
    const body = rejectedBody(new Rejected(409, conflict, { extra: outcome }), requestId)
    return {
      push,
      kept: { ...kept, outcome: isDryRun ? 'dryRun' : 'rejected', problems },
      answer: { ...answer(409, { ...body, ...warningMembers(warnings) }), has: warnings },
    }
  }
  const words = conflict
    ? { code: '207', message: 'Push partially undone' }
    : {
        code: '200',
        message: judged.cellsChanged + holdsEnded.length > 0 ? 'Push undone' : 'Nothing to undo',
      }
  const body = { ...words, requestId, ...outcome, ...warningMembers(warnings) }
  const applied = conflict ? 'partial' : cellsChanged > 0 ? 'applied' : 'unchanged'
  return {
    push,
    kept: { ...kept, outcome: isDryRun ? 'dryRun' : applied, problems },
    answer: { ...answer(conflict ? 207 : 200, body), has: warnings },
  }
}

function conflictOf(cells: number) {
  const message = `${counted(cells, 'night')} no longer ${cells === 1 ? 'has' : 'have'} what that push wrote`
  return { ...undoErrors.conflict, message, path: '/onConflict' }
}

function outcomeOf(
  { body, target, changers }: UndoPlan,
  { changes, conflicts, cellsChanged, cellsInConflict, inventoryLeftOut, pastNights }: JudgedUndo,
  names: Names,
  hotel: Pick<UndoOutcome, 'hotelId' | 'revision' | 'holdsEnded'>,
): UndoOutcome {
  const { requestId, revision, atMs } = target
  const [moreChanges, moreConflicts] = [changes.length - undoRangesMax, conflicts.length - undoRangesMax]
  return {
    ...hotel,
    ...(body.dryRun === true ? { dryRun: true } : {}),
    undone: { requestId, revision, at: instantOf(atMs) },
    summary: { cellsChanged, conflicts: cellsInConflict, inventoryLeftOut, pastNights },
    changes: changes.slice(0, undoRangesMax).map((range) => changeOf(range, names)),
    ...(moreChanges > 0 ? { moreChanges } : {}),
    conflicts: conflicts.slice(0, undoRangesMax).map((range) => conflictRange(range, changers, names)),
    ...(moreConflicts > 0 ? { moreConflicts } : {}),
    notCovered: [...notUndone],
  }
}

function nightsOf({ roomNo, rateNo, field, from, to }: UndoRange, names: Names) {
  const name = historyFieldOf(field)
  if (name === 'stopSell') throw new Error('a push wrote a stop-sell')
  return {
    roomId: names.roomCode(roomNo),
    rateId: rateNo === 0 ? null : names.rateCode(rateNo),
    startDate: formatNight(from),
    endDate: formatNight(to),
    field: name,
    ...(isGuestPriceField(field) ? guestBucket(field) : {}),
  }
}

function changeOf(range: UndoRange, names: Names): UndoneChange {
  const nights = nightsOf(range, names)
  const { now, other } = range
  return { ...nights, before: valueOf(nights.field, now, names), after: valueOf(nights.field, other, names) }
}

function conflictRange(range: UndoRange, changers: ReadonlyMap<number, Changer>, names: Names): UndoConflict {
  const nights = nightsOf(range, names)
  const changer = changers.get(range.changedAt)
  if (!changer) throw new Error(`nothing is known of the change at revision ${range.changedAt}`)
  return {
    ...nights,
    pushed: valueOf(nights.field, range.other, names),
    now: valueOf(nights.field, range.now, names),
    ...originOf(changer),
  }
}
