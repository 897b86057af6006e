import { DeliveryLog, EndpointStore, takeMailAllowance, type HeldEndpoint } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { findReceiver } from '../webhooks/destinations.ts'
import { sendMessage, type Senders, type SentMessage } from './send-message.ts'

const NO_AGENT = '00000000-0000-0000-0000-000000000000'

/** Sends the test that somebody waits for, if there is one, as a message that asks for nothing. */
export async function sendTestMessage(
  engine: EngineResources,
  senders: Senders,
  { tenantId, integration, testId }: HeldEndpoint,
): Promise<void> {
  if (testId === undefined) return
  const { database, clock, publicUrl } = engine
  const found = await database.forTenant(tenantId, async (transaction) => {
    const receiver = await findReceiver(
      engine,
      transaction,
      { tenantId, integration },
      { evenDisabled: true },
    )
    const amount = receiver?.integration.to.length ?? 0
    const perHour = senders.mailer?.perHour ?? 0
    const mayMail =
      amount === 0 || perHour === 0 || (await takeMailAllowance(transaction, { amount, perHour }))
    return receiver && { receiver, mayMail }
  })
  if (!found) return
  const at = clock.now()
  const test = { topic: 'finished', subject: 'The test', url: publicUrl, detail: 'It works.' } as const
  const message = { id: testId, settled: [], notices: [test], url: publicUrl }
  const { logged } = found.mayMail ? await sendMessage(senders, found.receiver, message, at) : TOO_MANY
  await database.forTenant(tenantId, async (transaction) => {
    await new DeliveryLog(transaction).add(integration, [
      {
        id: testId,
        at,
        agentId: NO_AGENT,
        sequence: 0n,
        eventType: 'test',
        attempt: 1,
        ...logged,
        messageId: testId,
      },
    ])
    await new EndpointStore(transaction).endTest(integration, testId)
  })
}

const TOO_MANY: Pick<SentMessage, 'logged'> = {
  logged: {
    status: 0,
    error: 'Your organization has sent as much e-mail as it may within an hour. Try again in the next hour.',
    latencyMs: 0,
    response: '',
  },
}
