import type { RunnerOffers } from '@skein/contract'
import type { Caller } from '@skein/core'
import type { EngineResources } from '../resources.ts'
import { fitOffers } from './fit-offers.ts'

/** Stores what a runner says about itself. One that says nothing is identified by its token. */
export async function recordRunner(
  { runnerNotes }: EngineResources,
  caller: Caller,
  { pools, offers }: { readonly pools: readonly string[]; readonly offers: RunnerOffers | undefined },
): Promise<void> {
  const { name = caller.token, ...rest } = offers ?? {}
  await runnerNotes.note({
    tenantId: caller.tenantId,
    token: caller.token,
    name,
    pools,
    servesAllTenants: caller.servesAllTenants,
    offers: fitOffers(rest),
  })
}
