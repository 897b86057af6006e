import { setTimeout as pause } from 'node:timers/promises'
import { SkeinError } from '@skein/contract'
import { CodeHostCallStore, type CodeHostCallRecord } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import type { EngineResources } from '../resources.ts'
import { answerPlace, type HostAnswers, type HostCall } from './host-call.ts'

const PATIENCE_MS = 25_000
const FIRST_LOOK_MS = 25
const LONGEST_LOOK_MS = 500

interface Question<Call extends HostCall> {
  readonly tenantId: string
  readonly codeHost: string
  /** A caller that asks the same meanwhile gets the same answer. */
  readonly key: string
  readonly call: Call
  readonly signal: AbortSignal
}

/**
 * Has a code host asked, by whichever server has a way out, and waits for the answer: this server may be in a network
 * without one. If this server dies, or nobody waits any more, the call is carried out all the same.
 */
export async function askCodeHost<Call extends HostCall>(
  engine: EngineResources,
  { tenantId, codeHost, key, call, signal }: Question<Call>,
): Promise<HostAnswers[Call['type']]> {
  const { database, events, clock } = engine
  const startedAt = clock.now()
  const id = await database.forTenant(tenantId, (transaction) =>
    new CodeHostCallStore(transaction).ask({ id: uuidV7(), key, codeHost, request: call }),
  )
  events.emit({ type: 'code-host-asked' })
  let last: CodeHostCallRecord | undefined
  for (
    let lookMs = FIRST_LOOK_MS;
    clock.now() - startedAt < PATIENCE_MS;
    lookMs = Math.min(lookMs * 2, LONGEST_LOOK_MS)
  ) {
    await pause(lookMs, undefined, { signal })
    last = await database.forTenant(tenantId, (transaction) => new CodeHostCallStore(transaction).find(id))
    if (last && last.outcome !== 'PENDING') break
  }
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- sealed by `carryOutCall` for a call of this type
  return readAnswer(engine, tenantId, id, last) as HostAnswers[Call['type']]
}

function readAnswer(
  { vault }: EngineResources,
  tenantId: string,
  id: string,
  call: CodeHostCallRecord | undefined,
): unknown {
  if (call?.outcome === 'DONE' && call.sealed !== undefined) {
    return JSON.parse(vault.open(call.sealed, answerPlace(tenantId, id)))
  }
  if (call?.outcome === 'REFUSED') throw new SkeinError('CODE_HOST_REFUSED', { message: call.reason })
  if (call && call.reason !== '') throw new SkeinError('CODE_HOST_UNAVAILABLE', { message: call.reason })
  throw new SkeinError('AUTOMATIONS_UNAVAILABLE')
}
