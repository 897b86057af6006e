import { createHash } from 'node:crypto'
import { SkeinError, type CodeHostDocument } from '@skein/contract'
import { isName } from '@skein/contract/facts'
import { parseGitLabEvent, parseHostEvent, type HostEvent, type VerificationScheme } from '@skein/core'
import { HostIssueStore, PullRequestStore, SealedValueStore } from '@skein/store'
import { findTenantInPath } from '../../access/tenant-in-path.ts'
import { senderKeyOf } from '../../automations/triggers/sender-key.ts'
import { isFromSender, type SenderRequest } from '../../automations/triggers/verify-request.ts'
import { placeOf } from '../../catalog/secrets.ts'
import type { EngineResources } from '../../resources.ts'
import { findCodeHost } from '../../catalog/find-code-host.ts'

/** GitHub and Gitea send it. */
const SIGNATURE: VerificationScheme = {
  type: 'hmac',
  header: 'x-hub-signature-256',
  prefix: 'sha256=',
  encoding: 'hex',
}
const TOKEN: VerificationScheme = { type: 'token', header: 'x-gitlab-token' }

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
  const { key, type } = await findKey(engine, tenantId, codeHost)
  const keys = key === undefined ? [] : [key]
  // Both, so that it takes the same time whatever the host is.
  const isSigned = isFromSender(SIGNATURE, keys, webhook, clock.now())
  const hasToken = isFromSender(TOKEN, keys, webhook, clock.now())
  const isKnown = type === 'gitlab' ? hasToken : isSigned
  const bodyKey = createHash('sha256').update(webhook.body).digest()
  if (!isKnown) {
    events.emit({ type: 'host-webhook', outcome: 'refused' })
    throw new SkeinError('WEBHOOK_REFUSED')
  }
  const { delivery, event } = type === 'gitlab' ? readGitLab(webhook) : readOthers(webhook)
  const senderKey = senderKeyOf(delivery, bodyKey)
  const isNew = await database.forTenant(tenantId, async (transaction) => {
    const isFirst = await new PullRequestStore(transaction).stir({ codeHost, senderKey, bodyKey }, event)
    if (isFirst && event && event.issue > 0) {
      await new HostIssueStore(transaction).stir(codeHost, event.repository, event.issue)
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
): Promise<{ readonly key: string | undefined; readonly type: CodeHostDocument['type'] | undefined }> {
  const { ref, sealed, type } = await database.forTenant(tenantId, async (transaction) => {
    const document = await findCodeHost(transaction, codeHost)
    const secret = { kind: 'secret', name: document?.webhookSecret ?? '' }
    const value = await new SealedValueStore(transaction).find(secret)
    return { ref: secret, sealed: value, type: document?.type }
  })
  const key = sealed === undefined || ref.name === '' ? '' : vault.open(sealed, placeOf(tenantId, ref)).trim()
  return { key: key === '' ? undefined : key, type }
}

interface ReadWebhook {
  /** The same in every copy. */
  readonly delivery: string
  readonly event: HostEvent | undefined
}

/** Gitea sends GitHub's headers too. */
function readOthers(webhook: ReceivedWebhook): ReadWebhook {
  const header = (name: string) =>
    webhook.header(`x-gitea-${name}`) ?? webhook.header(`x-github-${name}`) ?? ''
  const event = parseHostEvent(header('event'), bodyOf(webhook))
  return { delivery: header('delivery'), event }
}

/** Its id of an event is no use: other events that this one leads to have the same. */
function readGitLab(webhook: ReceivedWebhook): ReadWebhook {
  const event = parseGitLabEvent(webhook.header('x-gitlab-event') ?? '', bodyOf(webhook))
  return { delivery: webhook.header('idempotency-key') ?? '', event }
}

function bodyOf({ body }: ReceivedWebhook): unknown {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(body))
    return parsed
  } catch {
    // Genuine, but not JSON: recorded, and about nothing.
    return undefined
  }
}
