/** The program of the thread that works on stored bodies of pushes: see push-log/bodies/body-work.ts. */
import { parentPort } from 'node:worker_threads'
import { readRefusedItems } from '../alerts/watch/refused-items.ts'
import { readAriFact } from '../certification/ari-facts.ts'
import { readItemsThatName } from '../console-api/calendar/items-of-cell.ts'
import { comparePushes, readMonthsNamed } from '../console-api/pushes/compared-pushes.ts'
import { readPushItems, readShownPush } from '../console-api/pushes/shown-push.ts'
import { readItemsAsked } from '../offers/explain/items-of-body.ts'
import { workInThread } from '../push-log/bodies/body-work.ts'
import { readEncodings } from '../push-log/bodies/stored-bytes.ts'
import { readCodesNamed } from '../push-log/keep/codes-named.ts'
import { yieldToRequests } from './priority.ts'

if (!parentPort) throw new Error('it runs as a thread of the service only')
yieldToRequests()
workInThread(parentPort, [
  comparePushes,
  readAriFact,
  readCodesNamed,
  readEncodings,
  readItemsAsked,
  readItemsThatName,
  readMonthsNamed,
  readPushItems,
  readRefusedItems,
  readShownPush,
])
