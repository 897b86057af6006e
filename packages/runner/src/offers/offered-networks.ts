import type { NetworkPolicy, NetworkProblems } from '../sandbox/sandbox.ts'
import { networkPolicies } from '../sandbox/sandbox.ts'

export interface OfferedNetwork {
  readonly name: NetworkPolicy
  /** Why it is not offered; empty when it is. */
  readonly problem: string
  /** Why it does not hold although it is offered; empty when it does. */
  readonly gap: string
}

/** What the owner of the runner has decided. */
export interface NetworkTerms {
  /** Empty for all that the sandboxes can hold. */
  readonly permitted: readonly NetworkPolicy[]
  readonly sharesHostNetwork: boolean
}

/** Which policies a runner offers in a sandbox that has these problems with them. */
export function offerNetworks(problems: NetworkProblems, terms: NetworkTerms): OfferedNetwork[] {
  return networkPolicies.map((name) => {
    if (terms.permitted.length > 0 && !terms.permitted.includes(name)) {
      return { name, problem: `SKEIN_RUNNER_NETWORKS of this runner does not name ${name}.`, gap: '' }
    }
    const problem = problems[name]
    return terms.sharesHostNetwork ? { name, problem: '', gap: problem } : { name, problem, gap: '' }
  })
}
