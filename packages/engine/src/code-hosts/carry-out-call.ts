import { CodeHostCallStore, type HeldCodeHostCall, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { CodeHostError, type HostFetch } from './code-host.ts'
import { connectCodeHost } from './connect-code-host.ts'
import { answerPlace, type HostAnswers, type HostCall } from './host-call.ts'

/** Longer than all requests of a call together, and a stalled process. */
export const HOLD_MS = 60_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** Nobody waits for a credential any longer. */
const GIVE_UP_MS = 2 * 60 * 1000

/**
 * Asks the code host and records the answer. Killed in between, the next server asks again: every call finds what an
 * earlier one has done.
 */
export async function carryOutCall(
  engine: EngineResources,
  fetch: HostFetch,
  held: HeldCodeHostCall,
): Promise<void> {
  const { database, vault } = engine
  const { tenantId, id } = held
  const inTenant = <Result>(work: (calls: CodeHostCallStore, transaction: Transaction) => Promise<Result>) =>
    database.forTenant(tenantId, (transaction) => work(new CodeHostCallStore(transaction), transaction))
  const record = await inTenant((calls) => calls.find(id))
  if (record?.outcome !== 'PENDING') return
  try {
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- written by `askCodeHost`
    const answer = await ask(engine, fetch, tenantId, record.codeHost, record.request as HostCall)
    const sealed = vault.seal(JSON.stringify(answer), answerPlace(tenantId, id))
    await inTenant((calls) => calls.end(held, { outcome: 'DONE', sealed }))
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error
    const { message: reason, isFinal, retryAfterMs } = error
    const now = engine.clock.now()
    if (isFinal) await inTenant((calls) => calls.end(held, { outcome: 'REFUSED', reason }))
    else if (now + retryAfterMs - record.createdAt > GIVE_UP_MS)
      await inTenant((calls) => calls.end(held, { outcome: 'FAILED', reason }))
    else {
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** record.attempts, LONGEST_PAUSE_MS)
      await inTenant((calls) => calls.postpone(held, reason, now + Math.max(pauseMs, retryAfterMs)))
    }
  }
}

async function ask(
  engine: EngineResources,
  fetch: HostFetch,
  tenantId: string,
  codeHost: string,
  call: HostCall,
): Promise<HostAnswers[HostCall['type']]> {
  const host = await connectCodeHost(engine, fetch, tenantId, codeHost)
  return host.mintCredential(call.repositories)
}
