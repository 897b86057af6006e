import type { Assignment } from '@skein/contract'
import type { ModelPolicy } from '../gateway/check/policy.ts'

/** Model family names, which Claude resolves to the newest model. */
const FAMILIES: ReadonlySet<string> = new Set(['opus', 'sonnet', 'haiku'])

/** The programs' wire names. */
const TIERS: Readonly<Record<string, string>> = { fast: 'priority', standard: '' }

/** What the agent may ask of its model provider, from its settings and environment. */
export function modelPolicyOf(assignment: Assignment): ModelPolicy {
  const { model, helperModels, serviceTier, fastMode, environment } = assignment
  const tier = fastMode ? 'fast' : serviceTier
  const isOpen = environment.network === 'open'
  return {
    models: [FAMILIES.has(model) ? `claude-${model}-*` : model, ...helperModels],
    providerTools: isOpen ? environment.providerTools : [],
    betas: isOpen ? environment.betas : [],
    serviceTier: TIERS[tier] ?? tier,
    fastMode,
  }
}
