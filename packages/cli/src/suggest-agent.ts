import { formatAgentName, SkeinApiError } from '@skein/client'
import type { CommandContext } from './command-context.ts'
import { nearestName } from './nearest-name.ts'

/** Enough to find a slip of the finger; whoever has more agents knows how to list them. */
const MAX_CANDIDATES = 1_000

/** After a name that no agent has: the nearest one that somebody could have meant. */
export async function suggestAgent(error: unknown, context: CommandContext): Promise<void> {
  if (!(error instanceof SkeinApiError) || error.reason !== 'AGENT_NOT_FOUND' || context.isJson) return
  const known = new Set<string>()
  try {
    const skein = await context.skein()
    for await (const { agentId } of skein.agents({ includeTerminal: true })) {
      known.add(formatAgentName(agentId))
      if (known.size >= MAX_CANDIDATES) break
    }
  } catch {
    // The suggestion is a courtesy; the error itself is what matters.
    return
  }
  for (const name of context.namedAgents) {
    const nearest = known.has(name) ? undefined : nearestName(name, known)
    if (nearest !== undefined) context.note(`Did you mean ${nearest}?`)
  }
}
