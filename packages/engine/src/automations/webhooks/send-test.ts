import { DeliveryLog, EndpointStore, type HeldEndpoint } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { findReceiver } from './destinations.ts'
import { testContent, testMessageId } from './message-content.ts'
import { postMessage } from './post-message.ts'
import type { Post } from './post.ts'

const NO_AGENT = '00000000-0000-0000-0000-000000000000'

/** Sends the test event that somebody waits for, if there is one, and logs it under the test's id. */
export async function sendTest(engine: EngineResources, post: Post, held: HeldEndpoint): Promise<void> {
  const { tenantId, integration, testId } = held
  if (testId === undefined) return
  const receiver = await engine.database.forTenant(tenantId, (transaction) =>
    findReceiver(engine, transaction, held, { evenDisabled: true }),
  )
  if (!receiver) return
  const at = engine.clock.now()
  const sent = await postMessage(post, receiver, {
    id: testMessageId(testId),
    at,
    content: testContent(integration, at),
  })
  await engine.database.forTenant(tenantId, async (transaction) => {
    await new DeliveryLog(transaction).add(integration, [
      { id: testId, at, agentId: NO_AGENT, sequence: 0n, eventType: 'test', attempt: 1, ...sent.logged },
    ])
    await new EndpointStore(transaction).endTest(integration, testId)
  })
}
