import { Command } from 'commander'
import { addCancelCode, penaltiesOfCode } from '../products/policies/code-use.ts'
import { shippedCancelCodes } from '../reference/cancel-codes.ts'
import {
  listCancelCodes,
  listMealPlans,
  listRoomTypes,
  putMealPlan,
  putRoomType,
  retireCancelCode,
  retireMealPlan,
  retireRoomType,
  fillReference,
} from '../reference/store.ts'
import { audited, withSession, type Session } from './session.ts'
import { printJson, printOutcome, printTable } from './print.ts'

type Given = { json?: boolean }

export function referenceCommand(): Command {
  const reference = new Command('reference').description(
    'manage the room types, meal plans and cancellation codes that products may use',
  )
  reference.addHelpText(
    'after',
    `
Examples:
  ari reference room-type list
  ari reference room-type add "Sky Pod" --description "Glass capsule on a cliff"
  ari reference meal-plan add BRU --name Brunch --description "Late breakfast"
  ari reference meal-plan retire BRU
  ari reference cancel-code add FLEX4 --description "Free until 4 days before arrival, then the first night" \\
    --penalties '[{"cancelDeadline":{"offsetTimeUnit":"D","offsetTimeValue":4,"deadline":"18:00"},"penaltyCharge":{"chargeBase":"NightBase","nights":1}}]'

A retired entry stays valid where it is used, but new pushes can't use it. Adding it again restores it.`,
  )
  reference.addCommand(roomTypeCommand())
  reference.addCommand(mealPlanCommand())
  reference.addCommand(cancelCodeCommand())
  return reference
}

/**
 * Adds the shipped entries first if no service has run on this database, because a service adds them when it starts.
 */
function withReference(work: (session: Session) => Promise<void>): Promise<void> {
  return withSession(async (session) => {
    await fillReference(session.db)
    await work(session)
  })
}

function roomTypeCommand(): Command {
  const roomType = new Command('room-type').description('manage room types')
  roomType
    .command('list')
    .description('list all room types')
    .option('--json', 'print JSON')
    .action((given: Given) =>
      withReference(async ({ db }) => {
        const entries = await listRoomTypes(db)
        if (given.json) return printJson(entries)
        const rows = entries.map((one) => [one.name, one.retired ? 'retired' : 'in use', one.description])
        printTable(['ROOM TYPE', 'STATUS', 'DESCRIPTION'], rows)
      }),
    )
  roomType
    .command('add')
    .description('add a room type, or change its description')
    .argument('<name>', 'as in products; case-sensitive')
    .requiredOption('--description <text>', 'description of the room type')
    .option('--json', 'print JSON')
    .action((name: string, given: Given & { description: string }) =>
      withReference(async ({ db }) => {
        const entry = { name, description: given.description }
        await audited(db, async (connection) => {
          await putRoomType(connection, entry)
          return {
            result: undefined,
            action: 'reference.add',
            subject: `room type ${JSON.stringify(name)}`,
            after: entry,
          }
        })
        const outcome = { name, description: given.description, retired: false }
        printOutcome(given, outcome, `Products may now use room type "${name}"`)
      }),
    )
  roomType
    .command('retire')
    .description('refuse it in new pushes; products that have it keep it')
    .argument('<name>', 'as in room-type list')
    .option('--json', 'print JSON')
    .action((name: string, given: Given) =>
      withReference(async ({ db, nowMs }) => {
        await audited(db, async (connection) => {
          await retireRoomType(connection, name, nowMs)
          const after = { isRetired: true }
          return {
            result: undefined,
            action: 'reference.retire',
            subject: `room type ${JSON.stringify(name)}`,
            after,
          }
        })
        printOutcome(given, { name, retired: true }, `New pushes can no longer use room type "${name}"`)
      }),
    )
  return roomType
}

function mealPlanCommand(): Command {
  const mealPlan = new Command('meal-plan').description('manage meal plans')
  mealPlan
    .command('list')
    .description('list all meal plans')
    .option('--json', 'print JSON')
    .action((given: Given) =>
      withReference(async ({ db }) => {
        const entries = await listMealPlans(db)
        if (given.json) return printJson(entries)
        const status = (retired: boolean) => (retired ? 'retired' : 'in use')
        const rows = entries.map((one) => [one.code, status(one.retired), one.name, one.description])
        printTable(['CODE', 'STATUS', 'NAME', 'DESCRIPTION'], rows)
      }),
    )
  mealPlan
    .command('add')
    .description('add a meal plan, or change its name and description')
    .argument('<code>', 'as in products; case-sensitive')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--description <text>', 'which meals it includes')
    .option('--json', 'print JSON')
    .action((code: string, given: Given & { name: string; description: string }) =>
      withReference(async ({ db }) => {
        const entry = { code, name: given.name, description: given.description }
        await audited(db, async (connection) => {
          await putMealPlan(connection, entry)
          return {
            result: undefined,
            action: 'reference.add',
            subject: `meal plan ${JSON.stringify(code)}`,
            after: entry,
          }
        })
        printOutcome(given, { ...entry, retired: false }, `Products may now use meal plan "${code}"`)
      }),
    )
  mealPlan
    .command('retire')
    .description('refuse it in new pushes; products that have it keep it')
    .argument('<code>', 'as in meal-plan list')
    .option('--json', 'print JSON')
    .action((code: string, given: Given) =>
      withReference(async ({ db, nowMs }) => {
        await audited(db, async (connection) => {
          await retireMealPlan(connection, code, nowMs)
          const after = { isRetired: true }
          return {
            result: undefined,
            action: 'reference.retire',
            subject: `meal plan ${JSON.stringify(code)}`,
            after,
          }
        })
        printOutcome(given, { code, retired: true }, `New pushes can no longer use meal plan "${code}"`)
      }),
    )
  return mealPlan
}

function cancelCodeCommand(): Command {
  const cancelCode = new Command('cancel-code').description('manage codes for cancellation policies')
  cancelCode
    .command('list')
    .description('list all codes')
    .option('--json', 'print JSON')
    .action((given: Given) =>
      withReference(async ({ db }) => {
        const added = await listCancelCodes(db)
        const entries = [
          ...shippedCancelCodes.map((one) => ({ ...one, retired: false, origin: 'shipped' })),
          ...added.map((one) => ({ ...one, origin: 'added' })),
        ]
        if (given.json) return printJson(entries)
        const rows = entries.map((one) => [
          one.code,
          one.retired ? 'retired' : 'in use',
          one.origin,
          one.description,
        ])
        printTable(['CODE', 'STATUS', 'ORIGIN', 'DESCRIPTION'], rows)
      }),
    )
  cancelCode
    .command('add')
    .description('add a code, or change its description; its penalties only while no product has it')
    .argument('<code>', 'as in products; case-sensitive')
    .requiredOption('--description <text>', 'the terms, for people')
    .requiredOption('--penalties <json>', 'cancelPenalties, as in products, without amounts of money')
    .option('--json', 'print JSON')
    .action((code: string, given: Given & { description: string; penalties: string }) =>
      withReference(async ({ db }) => {
        const { description } = given
        const entry = { code, description, cancelPenalties: penaltiesOfCode(given.penalties) }
        await audited(db, async (connection) => {
          await addCancelCode(connection, entry)
          const subject = `cancellation code ${JSON.stringify(code)}`
          return { result: undefined, action: 'reference.add', subject, after: entry }
        })
        printOutcome(given, { ...entry, retired: false }, `Products may now use the code "${code}"`)
      }),
    )
  cancelCode
    .command('retire')
    .description('leave it out of the list; products that have it keep its terms')
    .argument('<code>', 'as in cancel-code list')
    .option('--json', 'print JSON')
    .action((code: string, given: Given) =>
      withReference(async ({ db, nowMs }) => {
        await audited(db, async (connection) => {
          await retireCancelCode(connection, code, nowMs)
          const subject = `cancellation code ${JSON.stringify(code)}`
          return { result: undefined, action: 'reference.retire', subject, after: { isRetired: true } }
        })
        printOutcome(given, { code, retired: true }, `The list no longer has the code "${code}"`)
      }),
    )
  return cancelCode
}
