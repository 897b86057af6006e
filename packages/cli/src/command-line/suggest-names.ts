import { formatAgentName, SkeinApiError, type Skein } from '@skein/client'
import type { CommandContext } from './command-context.ts'
import { nearestName } from './nearest-name.ts'

/** Enough to find a typo. */
const MAX_CANDIDATES = 1_000
/** Nobody reads more than this. */
const MAX_SHOWN = 20

const MISSING_RESOURCE = /^The ([a-z-]+) (\S+) was not found\.$/

/** After an unknown name: suggests the nearest existing one and lists the others. */
export async function suggestNames(error: unknown, context: CommandContext): Promise<void> {
  if (!(error instanceof SkeinApiError) || context.isJson) return
  try {
    const skein = await context.skein()
    if (error.reason === 'AGENT_NOT_FOUND') await suggestAgents(skein, context)
    const [, kind, name] = MISSING_RESOURCE.exec(error.message) ?? []
    if (kind !== undefined && name !== undefined) await suggestResources(skein, context, kind, name)
  } catch {
    // The suggestion is optional. What matters is the error itself.
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
