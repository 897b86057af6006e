import type { NetworkPolicy, NetworkProblems } from '../sandbox/sandbox.ts'
import { networkPolicies } from '../sandbox/sandbox.ts'

export interface OfferedNetwork {
  readonly name: NetworkPolicy
  /** Why it is not offered; empty if it is. */
  readonly problem: string
  /** Why it is not enforced although it is offered; empty if it is. */
  readonly gap: string
}

/** The operator's decisions. */
export interface NetworkTerms {
  /** Empty means everything the sandboxes support. */
  readonly permitted: readonly NetworkPolicy[]
  readonly sharesHostNetwork: boolean
}

/** The policies offered in a sandbox with these problems. */
export function offerNetworks(problems: NetworkProblems, terms: NetworkTerms): OfferedNetwork[] {
  return networkPolicies.map((name) => {
    if (terms.permitted.length > 0 && !terms.permitted.includes(name)) {
      return { name, problem: `This runner’s SKEIN_RUNNER_NETWORKS does not include ${name}.`, gap: '' }
    }
    const problem = problems[name]
    return terms.sharesHostNetwork ? { name, problem: '', gap: problem } : { name, problem, gap: '' }
  })
}
