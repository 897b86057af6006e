import { createHash } from 'node:crypto'
import { SkeinError, type TriggerDocument } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { isCredentialHeader, readingOf, type VerificationScheme } from '@skein/core'
import { TriggerDeliveryStore } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { findTenantInPath } from '../../access/tenant-in-path.ts'
import type { EngineResources } from '../../resources.ts'
import { findKeys, findTrigger } from './find-trigger.ts'
import { senderKeyOf } from './sender-key.ts'
import { triggerLimited } from './trigger-limited.ts'
import { isFromSender, type SenderRequest } from './verify-request.ts'

const MAX_HEADER_LENGTH = 1024
/** What a request to an unknown trigger is compared with. */
const NO_SCHEME: VerificationScheme = { type: 'hmac', header: 'x-signature', prefix: '', encoding: 'hex' }

export interface ReceivedRequest extends SenderRequest {
  readonly trigger: string
}

/**
 * Records a request to a trigger if it is genuine, once however often it is sent. Applied later: here nobody has looked
 * into its body. An unknown trigger takes the same steps as a wrong signature, and has the same answer.
 */
export async function receiveDelivery(
  engine: EngineResources,
  request: ReceivedRequest,
): Promise<{ deliveryId: string }> {
  const { database, clock, events } = engine
  const name = isName(request.trigger) ? request.trigger : '-'
  const tenantId = await findTenantInPath(engine, request.tenant)
  const { trigger, keys } = await database.forTenant(tenantId, async (transaction) => {
    const found = await findTrigger(transaction, name)
    const secret = found?.verification.secret ?? ''
    return { trigger: found, keys: await findKeys(engine, transaction, tenantId, { name, secret }) }
  })
  const { scheme } = trigger ? readingOf(trigger) : { scheme: NO_SCHEME }
  const bodyDigest = createHash('sha256').update(request.body).digest()
  const isKnown = isFromSender(scheme, keys, request, clock.now())
  if (!trigger || !isKnown) {
    events.emit({ type: 'trigger-refused', cause: 'unverified' })
    throw new SkeinError('TRIGGER_REFUSED')
  }
  const accepted = await database.forTenant(tenantId, (transaction) =>
    new TriggerDeliveryStore(transaction).accept({
      id: uuidV7(),
      trigger: name,
      ...keysOf(trigger, request, bodyDigest),
      body: request.body,
      headers: storedHeaders(trigger, request),
      perMinute: trigger.limits.perMinute,
    }),
  )
  if (accepted.type === 'wait') {
    events.emit({ type: 'trigger-refused', cause: 'limited' })
    throw triggerLimited(accepted.ms)
  }
  events.emit({ type: 'trigger-received', isNew: accepted.isNew })
  return { deliveryId: accepted.id }
}

/**
 * What makes two requests copies. If only the body is signed, a sender who repeats a request can change its id, so the same
 * body is a copy too. If the id is signed, or the sender has the key, the id decides.
 */
function keysOf(trigger: TriggerDocument, request: ReceivedRequest, bodyDigest: Buffer) {
  const { scheme, deliveryHeader } = readingOf(trigger)
  const id = deliveryHeader === '' ? '' : (request.header(deliveryHeader) ?? '')
  return {
    senderKey: senderKeyOf(id, bodyDigest),
    bodyKey: scheme.type === 'hmac' ? bodyDigest : undefined,
  }
}

function storedHeaders(trigger: TriggerDocument, request: ReceivedRequest): Record<string, string> {
  const { scheme, headers } = readingOf(trigger)
  const found = headers
    .filter((name) => !isCredentialHeader(name, scheme))
    .flatMap((name): [string, string][] => {
      const value = request.header(name)
      return value === undefined ? [] : [[name, value.slice(0, MAX_HEADER_LENGTH).replaceAll('\u0000', '')]]
    })
  return Object.fromEntries(found)
}
