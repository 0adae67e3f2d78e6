import type { AlertChannels } from '../../alerts/channels/channels.ts'
import { countMessages, type ChannelMessages } from '../../alerts/messages/outbox.ts'
import { sendTest } from '../../alerts/channels/send-test.ts'
import { selectSettings } from '../../alerts/channels/settings-store.ts'
import { optionalInstant } from '../../base/calendar.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { supplierNamed, supplierSubject } from '../suppliers/rules.ts'
import { alertConsoleRoutes, type ConsoleMessages } from './contract.ts'

type ChannelNeeds = Needs & { alertChannels: AlertChannels }

/** GET /alert-channel: whether the operators' webhook gets what it should. */
export const getOperatorsChannel = ({ db, clock, alertChannels }: ChannelNeeds): Mounted =>
  on(alertConsoleRoutes.getOperatorsChannel, async () => {
    const [messages] = await countMessages(db, undefined, clock.now())
    return answer(200, {
      isSet: alertChannels.operators !== undefined,
      messages: messages ? listedMessages(messages) : null,
    })
  })

/** GET /suppliers/{supplierId}/alert-channels. */
export const getSupplierAlertChannels = ({ db, clock, alertChannels }: ChannelNeeds): Mounted =>
  on(alertConsoleRoutes.getSupplierAlertChannels, async ({ params }) => {
    const { supplierId } = await supplierNamed(db, params.supplierId)
    const { kinds, webhook, emails } = await selectSettings(db, supplierId, clock.now())
    const messages = await countMessages(db, supplierId, clock.now())
    return answer(200, {
      kinds,
      webhook,
      emails: emails.map(({ email, isConfirmed }) => ({ email, isConfirmed })),
      emailAvailable: alertChannels.mail !== undefined,
      messages: messages.map(listedMessages),
    })
  })

/** POST /suppliers/{supplierId}/alert-channels/test. */
export const testSupplierAlerts = (needs: ChannelNeeds): Mounted =>
  on(alertConsoleRoutes.testSupplierAlerts, async ({ params, operator, requestId }) => {
    const supplier = await supplierNamed(needs.db, params.supplierId)
    const results = await sendTest(needs, supplier.supplierId)
    const after = { sent: results.filter(({ isSent }) => isSent).length, of: results.length }
    await audit(needs.db, {
      operator,
      requestId,
      action: 'alert.test',
      subject: supplierSubject(supplier),
      after,
    })
    return answer(200, { results })
  })

function listedMessages({ lastSentMs, ...messages }: ChannelMessages): ConsoleMessages {
  return { ...messages, lastSentAt: optionalInstant(lastSentMs) }
}
