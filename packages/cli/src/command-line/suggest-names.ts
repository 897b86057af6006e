import { formatAgentName, SkeinApiError, type Skein } from '@skein/client'
import type { CommandContext } from './command-context.ts'
import { nearestName } from './nearest-name.ts'

/** Enough to find a slip of the finger; whoever has more agents knows how to list them. */
const MAX_CANDIDATES = 1_000
/** More than these are not read by anyone. */
const MAX_SHOWN = 20

const MISSING_RESOURCE = /^There is no ([a-z-]+) named (\S+)\.$/

/** After a name that nothing has: the nearest one that exists, and what there is to choose from. */
export async function suggestNames(error: unknown, context: CommandContext): Promise<void> {
  if (!(error instanceof SkeinApiError) || context.isJson) return
  try {
    const skein = await context.skein()
    if (error.reason === 'AGENT_NOT_FOUND') await suggestAgents(skein, context)
    const [, kind, name] = MISSING_RESOURCE.exec(error.message) ?? []
    if (kind !== undefined && name !== undefined) await suggestResources(skein, context, kind, name)
  } catch {
    // The suggestion is a courtesy; the error itself is what matters.
  }
}

async function suggestAgents(skein: Skein, context: CommandContext): Promise<void> {
  const known = new Set<string>()
  for await (const { agentId } of skein.agents({ includeTerminal: true })) {
    known.add(formatAgentName(agentId))
    if (known.size >= MAX_CANDIDATES) break
  }
  for (const name of context.namedAgents) {
    const nearest = known.has(name) ? undefined : nearestName(name, known)
    if (nearest !== undefined) context.note(`Did you mean ${nearest}?`)
  }
}

async function suggestResources(
  skein: Skein,
  context: CommandContext,
  kind: string,
  name: string,
): Promise<void> {
  const known: string[] = []
  for await (const resource of skein.catalog.list(kind)) {
    known.push(resource.name)
    if (known.length >= MAX_CANDIDATES) break
  }
  if (known.length === 0) return
  const rest = known.length - MAX_SHOWN
  context.note(`Available: ${known.slice(0, MAX_SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`)
  const nearest = nearestName(name, known)
  if (nearest !== undefined) context.note(`Did you mean ${nearest}?`)
}
