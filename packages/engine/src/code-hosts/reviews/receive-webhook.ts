import { createHash } from 'node:crypto'
import { SkeinError } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { parseHostEvent, type HostEvent, type VerificationScheme } from '@skein/core'
import { HostIssueStore, PullRequestStore, SealedValueStore } from '@skein/store'
import { findTenantInPath } from '../../access/tenant-in-path.ts'
import { senderKeyOf } from '../../automations/triggers/sender-key.ts'
import { isFromSender, type SenderRequest } from '../../automations/triggers/verify-request.ts'
import { placeOf } from '../../catalog/secrets.ts'
import type { EngineResources } from '../../resources.ts'
import { findCodeHost } from '../../catalog/find-code-host.ts'

/** Both hosts send it. */
const SCHEME: VerificationScheme = {
  type: 'hmac',
  header: 'x-hub-signature-256',
  prefix: 'sha256=',
  encoding: 'hex',
}

export interface ReceivedWebhook extends SenderRequest {
  readonly codeHost: string
}

/**
 * Records a webhook of a code host if it is genuine, once however often it is sent, and has the pull request or the
 * issue looked at that it is about. An unknown code host takes the same steps as a wrong signature, and has the same answer.
 */
export async function receiveHostWebhook(
  engine: EngineResources,
  webhook: ReceivedWebhook,
): Promise<{ isCopy: boolean }> {
  const { database, clock, events } = engine
  const codeHost = isName(webhook.codeHost) ? webhook.codeHost : '-'
  const tenantId = await findTenantInPath(engine, webhook.tenant)
  const key = await findKey(engine, tenantId, codeHost)
  const isKnown = isFromSender(SCHEME, key === undefined ? [] : [key], webhook, clock.now())
  const bodyKey = createHash('sha256').update(webhook.body).digest()
  if (!isKnown) {
    events.emit({ type: 'host-webhook', outcome: 'refused' })
    throw new SkeinError('WEBHOOK_REFUSED')
  }
  // Gitea sends GitHub's headers too.
  const header = (name: string) =>
    webhook.header(`x-gitea-${name}`) ?? webhook.header(`x-github-${name}`) ?? ''
  const senderKey = senderKeyOf(header('delivery'), bodyKey)
  const event = readEvent(header('event'), webhook.body)
  const isNew = await database.forTenant(tenantId, async (transaction) => {
    const isFirst = await new PullRequestStore(transaction).stir({ codeHost, senderKey, bodyKey }, event)
    if (isFirst && event && event.number > 0) {
      await new HostIssueStore(transaction).stir(codeHost, event.repository, event.number)
    }
    return isFirst
  })
  events.emit({ type: 'host-webhook', outcome: isNew ? 'new' : 'copy' })
  return { isCopy: !isNew }
}

/** Looks up both, so that it always takes the same time. */
async function findKey(
  { database, vault }: EngineResources,
  tenantId: string,
  codeHost: string,
): Promise<string | undefined> {
  const { ref, sealed } = await database.forTenant(tenantId, async (transaction) => {
    const name = (await findCodeHost(transaction, codeHost))?.webhookSecret ?? ''
    const secret = { kind: 'secret', name }
    return { ref: secret, sealed: await new SealedValueStore(transaction).find(secret) }
  })
  const key = sealed === undefined || ref.name === '' ? '' : vault.open(sealed, placeOf(tenantId, ref)).trim()
  return key === '' ? undefined : key
}

function readEvent(event: string, body: Uint8Array): HostEvent | undefined {
  try {
    return parseHostEvent(event, JSON.parse(new TextDecoder().decode(body)))
  } catch {
    // Signed, but not JSON: recorded, and about nothing.
    return undefined
  }
}
