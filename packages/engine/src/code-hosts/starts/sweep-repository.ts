import { cutText } from '@skein/contract'
import { nextRetry, START_LIMITS } from '@skein/core'
import { HostIssueStore, HostWatchStore, type HeldHostWatch, type Transaction } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { CodeHostError, type HostFetch } from '../code-host.ts'
import { connectCodeHost } from '../connect-code-host.ts'
import { HoldLost, keepingFetch } from '../reviews/keeping-fetch.ts'

export const SWEEP_HOLD_MS = 120_000
/** There is more to list. */
const MORE_MS = 30_000
const REFUSED_RETRY_MS = 60 * 60_000

/** Has the issues looked at that changed since the last time: webhooks may have been lost, or there are none. */
export async function sweepRepository(
  engine: EngineResources,
  fetch: HostFetch,
  held: HeldHostWatch,
): Promise<void> {
  const { tenantId, codeHost, repository } = held
  const inTenant = <Result>(work: (watches: HostWatchStore, transaction: Transaction) => Promise<Result>) =>
    engine.database.forTenant(tenantId, (transaction) => work(new HostWatchStore(transaction), transaction))
  const watch = await inTenant((watches) => watches.find(held))
  if (!watch) return
  const now = () => engine.clock.now()
  const keep = () => inTenant((watches) => watches.keep(held, SWEEP_HOLD_MS))
  try {
    const { host } = await connectCodeHost(engine, keepingFetch(fetch, keep, now), tenantId, codeHost)
    const { numbers, readUntil, isAll } = await (await host.issues(repository)).changed(watch.readUntil)
    await inTenant(async (watches, transaction) => {
      if (!(await watches.keep(held, SWEEP_HOLD_MS))) return
      await new HostIssueStore(transaction).stirAll(held, numbers)
      const lookAt = now() + (isAll ? START_LIMITS.sweepMs : MORE_MS)
      await watches.release(held, { lookAt, readUntil, failures: 0, problem: '' })
    })
  } catch (error) {
    if (error instanceof HoldLost || !(error instanceof CodeHostError) || error.cause instanceof HoldLost) {
      if (error instanceof HoldLost || error instanceof CodeHostError) return
      throw error
    }
    const { failures, readUntil } = watch
    const retryAt = error.isFinal
      ? now() + REFUSED_RETRY_MS
      : nextRetry({ failures }, now(), error.retryAfterMs)
    const problem = `${cutText(error.message, 700)} ${adviceOn(error, codeHost)}`
    await inTenant((watches) =>
      watches.release(held, { lookAt: retryAt, readUntil, failures: failures + 1, problem }),
    )
  }
}

/** What people can do about it. */
function adviceOn({ isFinal, isMissing }: CodeHostError, codeHost: string): string {
  if (isMissing)
    return `Check that the repository exists, and that the credential of the code host ${codeHost} may read its issues.`
  if (isFinal) return `Check the code host ${codeHost}, and what its credential is allowed to do.`
  return 'Skein will try again. If it keeps failing, check that the server can reach the code host.'
}
