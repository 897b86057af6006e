import { countedSince } from '@skein/core'
import { CodeHostCallStore, findResumedAt, type HeldCodeHostCall, type Transaction } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { CodeHostError, type HostFetch } from './code-host.ts'
import { addressPullRequest } from './address-pull-request.ts'
import { connectCodeHost } from './connect-code-host.ts'
import { findAuthorToken } from './find-author-token.ts'
import { ensurePullRequest } from './ensure-pull-request.ts'
import { answerPlace, type HostAnswers, type HostCall } from './host-call.ts'
import { findKnownNumbers, recordPullRequest, toOpened } from './record-pull-request.ts'

/** Longer than all requests of a call together, and a stalled process. */
export const HOLD_MS = 120_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** By then nobody waits for a credential any longer, and the agent has opened its pull request or given up. */
const GIVE_UP_MS = { 'mint-credential': 2 * 60_000, 'open-pull-request': 60 * 60_000 } as const

type Answer = HostAnswers[HostCall['type']]

interface Carried {
  readonly answer: Answer
  /** Written together with the end of the call. */
  readonly record?: (transaction: Transaction) => Promise<void>
}

/**
 * Asks the code host and records the answer. Killed in between, the next server asks again: every call finds what an
 * earlier one has done.
 */
export async function carryOutCall(
  engine: EngineResources,
  fetch: HostFetch,
  held: HeldCodeHostCall,
): Promise<void> {
  const { database, vault, clock } = engine
  const { tenantId, id } = held
  const inTenant = <Result>(work: (calls: CodeHostCallStore, transaction: Transaction) => Promise<Result>) =>
    database.forTenant(tenantId, (transaction) => work(new CodeHostCallStore(transaction), transaction))
  const found = await inTenant((calls) => calls.find(id))
  if (found?.outcome !== 'PENDING') return
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- written by `askCodeHost`
  const call = found.request as HostCall
  try {
    const isHeld = () => inTenant((calls) => calls.keep(held, HOLD_MS))
    const carried = await carryOut(engine, fetch, { tenantId, codeHost: found.codeHost, call, isHeld })
    if (!carried) return
    const sealed = vault.seal(JSON.stringify(carried.answer), answerPlace(tenantId, id))
    await inTenant(async (calls, transaction) => {
      if (await calls.end(held, { outcome: 'DONE', sealed })) await carried.record?.(transaction)
    })
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error
    const { message: reason, isFinal, retryAfterMs } = error
    const now = clock.now()
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** found.attempts, LONGEST_PAUSE_MS)
    await inTenant(async (calls, transaction) => {
      const since = countedSince(found.createdAt, await findResumedAt(transaction))
      const isLate = now + retryAfterMs - since > GIVE_UP_MS[call.type]
      if (isFinal) await calls.end(held, { outcome: 'REFUSED', reason })
      else if (isLate) await calls.end(held, { outcome: 'FAILED', reason })
      else await calls.postpone(held, reason, now + Math.max(pauseMs, retryAfterMs))
    })
  }
}

/** Undefined if another server holds the call by now. */
async function carryOut(
  engine: EngineResources,
  fetch: HostFetch,
  {
    tenantId,
    codeHost,
    call,
    isHeld,
  }: {
    readonly tenantId: string
    readonly codeHost: string
    readonly call: HostCall
    readonly isHeld: () => Promise<boolean>
  },
): Promise<Carried | undefined> {
  const { host, document, as } = await connectCodeHost(engine, fetch, tenantId, codeHost)
  if (call.type === 'mint-credential') return { answer: await host.mintCredential(call.repositories) }
  const known = await findKnownNumbers(engine, tenantId, codeHost, call)
  const token = await findAuthorToken(engine, { tenantId, codeHost, document, call })
  const pull = await ensurePullRequest(host, call, {
    known,
    mayOpen: isHeld,
    author: token === undefined ? undefined : as(token),
  })
  if (!pull) return undefined
  const problems = await addressPullRequest(host, pull.number, call)
  const opened = { ...toOpened(codeHost, document, call.repository, pull), problems }
  return {
    answer: opened,
    record: (transaction) =>
      recordPullRequest(transaction, { codeHost, call, opened, now: engine.clock.now() }),
  }
}
