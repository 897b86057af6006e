import { formatAgentName, type AgentEntry, type AgentId } from '@skein/client'

/** A navigation target. */
export type Place =
  | { readonly type: 'page'; readonly label: string; readonly to: PagePath }
  | { readonly type: 'agent'; readonly label: string; readonly agentId: AgentId; readonly entry: PlaceEntry }

type PlaceEntry = Pick<AgentEntry, 'phase' | 'needsInput'>

type PagePath =
  | '/'
  | '/inbox'
  | '/spawn'
  | '/catalog'
  | '/automations'
  | '/usage'
  | '/runners'
  | '/sessions'
  | '/tokens'
  | '/audit'

const MAX_AGENTS = 12

export function listPages(canWriteCatalog: boolean): readonly Place[] {
  const pages: readonly (readonly [string, PagePath])[] = [
    ['Fleet', '/'],
    ['Inbox', '/inbox'],
    ['Spawn an agent', '/spawn'],
    ['Catalog', '/catalog'],
    ['Automations', '/automations'],
    ['Usage', '/usage'],
    ['Runners', '/runners'],
    ['Sessions', '/sessions'],
    ...(canWriteCatalog
      ? ([
          ['Tokens', '/tokens'],
          ['Audit log', '/audit'],
        ] as const)
      : []),
  ]
  return pages.map(([label, to]) => ({ type: 'page', label, to }))
}

/** Pages, then agents, that contain every word. Agents keep their order. */
export function findPlaces(
  text: string,
  pages: readonly Place[],
  agents: readonly (PlaceEntry & { readonly agentId: AgentId })[],
): readonly Place[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const isMatch = (label: string): boolean => words.every((word) => label.toLowerCase().includes(word))
  const found = agents
    .map((entry) => ({ label: formatAgentName(entry.agentId), entry }))
    .filter(({ label }) => isMatch(label))
    .slice(0, MAX_AGENTS)
  return [
    ...pages.filter(({ label }) => isMatch(label)),
    ...found.map(({ label, entry }) => ({ type: 'agent', label, agentId: entry.agentId, entry }) as const),
  ]
}
