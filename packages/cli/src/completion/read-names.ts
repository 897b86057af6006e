import { formatAgentName, type Skein } from '@skein/client'

/** Nobody reads more than this. */
const MAX_NAMES = 200

/** Names of agents, kinds, or resources of a kind. */
export async function readNames(skein: Skein, what: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = []
  if (what === 'kind') return (await skein.catalog.kinds({ signal })).map(({ kind }) => kind)
  const found = what === 'agent' ? agentNames(skein, signal) : resourceNames(skein, what, signal)
  for await (const name of found) {
    names.push(name)
    if (names.length === MAX_NAMES) break
  }
  return names
}

async function* agentNames(skein: Skein, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { agentId } of skein.fleet({ includeTerminal: true, signal })) {
    yield formatAgentName(agentId)
  }
}

async function* resourceNames(skein: Skein, kind: string, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { name } of skein.catalog.list(kind, { signal })) yield name
}
