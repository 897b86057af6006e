import { decodeNumbers, encodeNumbers, isRecord } from './json.ts'
import { NO_USAGE, type AgentState, type RunRecord } from './state.ts'

/** What a list shows of an agent. */
export interface ListedAgent extends ListedFields, Pick<AgentState, 'id' | 'identity' | 'phase' | 'pool'> {}

/** What the agent's other columns don't say. */
interface ListedFields extends Pick<
  AgentState,
  'sequence' | 'createdAt' | 'progressAt' | 'repos' | 'needsInput' | 'awaits' | 'usage'
> {
  readonly run?: Pick<RunRecord, 'availableAt' | 'failures'>
}

const NONE: readonly string[] = []

/**
 * Stored beside the state, so that a list does not read everything that its agents ever said. Empty fields are left
 * out: every agent has one of these.
 */
export function toListedJson(agent: ListedFields): object {
  const { sequence, createdAt, progressAt, repos, needsInput, awaits, usage, run } = agent
  const hasUsage = Object.values(usage).some((amount) => amount !== 0n)
  return encodeNumbers({
    sequence,
    createdAt,
    ...(progressAt !== undefined && { progressAt }),
    ...(repos.length > 0 && { repos }),
    ...(needsInput !== '' && { needsInput }),
    ...(awaits.length > 0 && { awaits }),
    ...(hasUsage && { usage }),
    ...(run?.availableAt !== undefined && {
      run: { availableAt: run.availableAt, failures: run.failures },
    }),
  })
}

/** Also reads a whole state: rows from before this was stored have nothing else. */
export function listedFromJson(json: unknown): ListedFields {
  const stored = decodeNumbers(json, 'agent')
  if (!isListed(stored)) throw new Error('The stored agent is not one that this service wrote')
  const { sequence, createdAt, progressAt, repos, needsInput, awaits, usage, run } = stored
  return {
    sequence,
    createdAt,
    ...(progressAt !== undefined && { progressAt }),
    repos: repos ?? NONE,
    needsInput: needsInput ?? '',
    awaits: awaits ?? NONE,
    usage: usage ?? NO_USAGE,
    ...(run && { run }),
  }
}

type StoredFields = Partial<ListedFields> & Pick<ListedFields, 'sequence' | 'createdAt'>

function isListed(stored: object): stored is StoredFields {
  return isRecord(stored) && typeof stored['sequence'] === 'bigint' && typeof stored['createdAt'] === 'number'
}
