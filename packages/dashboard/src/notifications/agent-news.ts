import { formatAgentName, type FleetEntry } from '@skein/client'
import { agentKey, agentLink } from '../format/agent-link.ts'
import { toOneLine } from '../format/one-line.ts'
import type { News } from './news.ts'

const MAX_TEXT_LENGTH = 200
/** Agents that ended are forgotten first. */
const MAX_KNOWN = 5_000

/** Tells news from other changes: a change says what an agent is like now, not what was new about it. */
export class NewsDesk {
  readonly #known = new Map<string, string>()

  /** What is already so is no news. */
  learn(entry: FleetEntry): void {
    this.#note(agentKey(entry.agentId), stateOf(entry))
  }

  read(entry: FleetEntry): News | undefined {
    const key = agentKey(entry.agentId)
    const state = stateOf(entry)
    const isKnown = this.#known.get(key) === state
    this.#note(key, state)
    const headline = headlineOf(entry)
    // Children report to their parents.
    if (isKnown || headline === undefined || entry.agentId.agent.length > 1) return undefined
    const text = entry.needsInput === '' ? entry.errorMessage : entry.needsInput
    return {
      key,
      link: agentLink(entry.agentId),
      title: `${formatAgentName(entry.agentId)} ${headline}`,
      text: toOneLine(text.slice(0, 4 * MAX_TEXT_LENGTH)).slice(0, MAX_TEXT_LENGTH),
    }
  }

  #note(key: string, state: string): void {
    this.#known.delete(key)
    this.#known.set(key, state)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}

function stateOf({ phase, runCount, needsInput }: FleetEntry): string {
  return `${phase} ${runCount} ${needsInput === '' ? '' : 'asks'}`
}

function headlineOf({ phase, needsInput }: FleetEntry): string | undefined {
  if (phase === 'PHASE_WAITING' && needsInput !== '') return 'asks'
  if (phase === 'PHASE_COMPLETED') return 'has finished'
  return phase === 'PHASE_FAILED' ? 'has failed' : undefined
}
