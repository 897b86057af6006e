import type { Assignment } from '@skein/contract'
import type { ModelPolicy } from '../gateway/check/policy.ts'

/** Names of a family of models, which Claude turns into that of the newest one. */
const FAMILIES: ReadonlySet<string> = new Set(['opus', 'sonnet', 'haiku'])

/** As the programs put it on the wire. */
const TIERS: Readonly<Record<string, string>> = { fast: 'priority', standard: '' }

/** What the agent's settings and its environment let it ask of the model's provider. */
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
