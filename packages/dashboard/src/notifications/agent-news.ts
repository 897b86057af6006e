import { formatAgentName, isTerminal, type FleetEntry } from '@skein/client'
import { agentKey, agentLink } from '../format/agent-link.ts'
import { formatMoney } from '../format/money.ts'
import { toOneLine } from '../format/one-line.ts'
import type { News } from './news.ts'

const MAX_TEXT_LENGTH = 200
/** Agents that ended are forgotten first. */
const MAX_KNOWN = 5_000

/** What has been told about an agent. */
interface Known {
  readonly state: string
  readonly budgetReached: number
}

/** Tells news from other changes: a change says what an agent is like now, not what was new about it. */
export class NewsDesk {
  readonly #known = new Map<string, Known>()

  /** What is already so is no news. */
  learn(entry: FleetEntry): void {
    this.#note(agentKey(entry.agentId), entry)
  }

  read(entry: FleetEntry): News[] {
    const key = agentKey(entry.agentId)
    const known = this.#known.get(key)
    this.#note(key, entry)
    // Children report to their parents.
    if (entry.agentId.agent.length > 1) return []
    const about = { link: agentLink(entry.agentId), name: formatAgentName(entry.agentId) }
    return [...describeState(entry, known, key, about), ...describeBudget(entry, known, key, about)]
  }

  #note(key: string, entry: FleetEntry): void {
    this.#known.delete(key)
    this.#known.set(key, { state: stateOf(entry), budgetReached: entry.budgetReached })
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}

interface About {
  readonly link: News['link']
  readonly name: string
}

function describeState(
  entry: FleetEntry,
  known: Known | undefined,
  key: string,
  { link, name }: About,
): News[] {
  const headline = headlineOf(entry)
  if (headline === undefined || known?.state === stateOf(entry)) return []
  const text = entry.needsInput === '' ? entry.errorMessage : entry.needsInput
  const short = toOneLine(text.slice(0, 4 * MAX_TEXT_LENGTH)).slice(0, MAX_TEXT_LENGTH)
  return [{ key, link, title: `${name} ${headline}`, text: short }]
}

/** Of an agent seen for the first time, nobody knows how long its budget has been spent. */
function describeBudget(
  { budgetReached, maxCost, phase }: FleetEntry,
  known: Known | undefined,
  key: string,
  { link, name }: About,
): News[] {
  if (!known || budgetReached <= known.budgetReached || isTerminal(phase)) return []
  const title =
    budgetReached >= 100
      ? `${name} has used up its budget`
      : `${name} has spent ${budgetReached} % of its budget`
  return [{ key: `${key} budget`, link, title, text: `The budget is ${formatMoney(maxCost)}.` }]
}

function stateOf({ phase, runCount, needsInput }: FleetEntry): string {
  return `${phase} ${runCount} ${needsInput === '' ? '' : 'asks'}`
}

function headlineOf({ phase, needsInput }: FleetEntry): string | undefined {
  if (phase === 'PHASE_WAITING' && needsInput !== '') return 'asks'
  if (phase === 'PHASE_COMPLETED') return 'has finished'
  return phase === 'PHASE_FAILED' ? 'has failed' : undefined
}
