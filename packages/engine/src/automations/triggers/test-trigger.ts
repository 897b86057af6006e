import { formatTimestamp, SkeinError, summarizeViolations, trigger as kind } from '@skein/contract'
import { checkDocument, isCredentialHeader, readingOf, type Document } from '@skein/core'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../../resources.ts'

export interface TriggerTest {
  readonly name: string
  readonly document: Document
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

interface TestedTrigger {
  readonly outcome: 'IGNORED' | 'REFUSED' | 'SPAWNED' | 'SENT'
  readonly reason: string
  readonly agent: string
  readonly description: string
  readonly message: string
  readonly labels: Record<string, string>
}

const NOTHING = { agent: '', description: '', message: '', labels: {} }

/** What a trigger would do with a request. Nothing is recorded, and nothing happens. */
export async function testTrigger(
  { triggerRules, clock }: EngineResources,
  tenantId: string,
  { name, document, body, headers }: TriggerTest,
): Promise<TestedTrigger> {
  const problems = await triggerRules.problemsOf(tenantId, document)
  const { violations, checked } = checkDocument('trigger', document, problems)
  if (!checked) {
    throw new SkeinError('DOCUMENT_INVALID', {
      message: `The document is not a valid ${kind.kind}: ${summarizeViolations(violations)}.`,
      violations,
    })
  }
  const reading = readingOf(checked)
  const stored = Object.entries(headers)
    .map(([header, value]): [string, string] => [header.toLowerCase(), value])
    .filter(([header]) => reading.headers.includes(header) && !isCredentialHeader(header, reading.scheme))
  const plan = await triggerRules.plan(tenantId, {
    name,
    trigger: checked,
    deliveryId: uuidV7(),
    receivedTime: formatTimestamp(clock.now()),
    headers: Object.fromEntries(stored),
    body: new TextEncoder().encode(body),
  })
  if ('outcome' in plan) return { ...NOTHING, ...plan }
  return {
    outcome: plan.message === undefined ? 'SPAWNED' : 'SENT',
    reason: '',
    agent: plan.agent,
    description: plan.spawn?.description ?? '',
    message: plan.message ?? '',
    labels: { ...plan.spawn?.labels },
  }
}
