import type { BenchClient } from './http-client.ts'
import type { SeededAgent } from './seed.ts'

export const OPERATIONS = ['status', 'list', 'queue', 'spawn', 'claim', 'complete'] as const
export type OperationName = (typeof OPERATIONS)[number]

/** The named operations and those they need, because a round claims and completes what it queued. */
export function selectOperations(names: readonly string[]): OperationName[] {
  const unknown = names.filter((name) => !OPERATIONS.some((known) => known === name))
  if (unknown.length > 0)
    throw new Error(`Unknown operation ${unknown.join(', ')}. Known: ${OPERATIONS.join(', ')}`)
  const wanted = new Set(names)
  const needsRuns = wanted.has('claim') || wanted.has('complete')
  const makesRuns = wanted.has('queue') || wanted.has('spawn')
  if (needsRuns && !makesRuns) wanted.add('queue')
  if (needsRuns || makesRuns) wanted.add('claim').add('complete')
  return OPERATIONS.filter((name) => wanted.has(name))
}

/** Sends one request, and throws unless the answer shows that the work was done. */
type Request = (client: BenchClient) => Promise<void>

/** The next request of an operation; undefined once there is nothing left that it could really do. */
export type Requests = () => Request | undefined

/** One of the two that are compared. Its runs and leases come from its own requests, so it knows how many there are. */
export interface Contender {
  readonly requests: Readonly<Record<OperationName, Requests>>
  /** Fails if runs are left to claim, or leases to complete. */
  readonly endRound: () => void
  /** For `claim` and `complete`. */
  readonly keyOf: (name: OperationName) => 'caller' | 'runner'
}

const PAGE_SIZE = 50

interface Agents {
  readonly count: number
  readonly at: (index: number) => SeededAgent
}

/** What both contenders have in common: whose turn it is, and which runs are left. */
class Bookkeeping<Lease> {
  readonly #agents: Agents
  readonly leases: Lease[] = []
  readonly #stride: number
  #next = 0
  #resting: number
  #queued = 0
  #spawned = 0

  constructor(agents: Agents) {
    this.#agents = agents
    this.#resting = agents.count
    this.#stride = strideOf(agents.count)
  }

  any(): SeededAgent {
    return this.#agents.at(Math.floor(Math.random() * this.#agents.count))
  }

  /** An agent at rest: a message to any other would not queue a run. */
  takeResting(): SeededAgent | undefined {
    if (this.#resting === 0) return undefined
    this.#resting -= 1
    this.#next = (this.#next + this.#stride) % this.#agents.count
    return this.#agents.at(this.#next)
  }

  newName(): string {
    this.#spawned += 1
    return `s${this.#spawned}`
  }

  addRun(): void {
    this.#queued += 1
  }

  takeRun(): boolean {
    if (this.#queued === 0) return false
    this.#queued -= 1
    return true
  }

  /** Nothing is queued or leased, so all agents rest. */
  endRound(): void {
    if (this.#queued + this.leases.length > 0)
      throw new Error(`A round left ${this.#queued} runs queued and ${this.leases.length} leased`)
    this.#resting = this.#agents.count
  }
}

/**
 * Visits all agents before any one twice, but never neighbours at the same time: they share a page, and nobody sends
 * messages to agents in the order of their creation.
 */
function strideOf(count: number): number {
  let stride = Math.max(1, Math.round(count * 0.618))
  while (greatestDivisor(stride, count) > 1) stride += 1
  return stride
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other)
}

export function skein(agents: Agents): Contender {
  const books = new Bookkeeping<string>(agents)
  return {
    keyOf: (name) => (name === 'claim' || name === 'complete' ? 'runner' : 'caller'),
    endRound: () => books.endRound(),
    requests: {
      status: () => {
        const agent = books.any()
        return async (client) =>
          expectText(await post(client, '/v1/agent/status', { agentId: idOf(agent) }), `["${agent.name}"]`)
      },
      list: () => async (client) =>
        expectEntries(await post(client, '/v1/agents', { pageSize: PAGE_SIZE }), '"needsInput":'),
      queue: () => {
        const agent = books.takeResting()
        return (
          agent &&
          (async (client) => {
            expectText(
              await post(client, '/v1/agent/queue', { agentId: idOf(agent), description: 'more' }),
              '"followUpId":"',
            )
            books.addRun()
          })
        )
      },
      spawn: () => {
        const name = books.newName()
        return async (client) => {
          const body = { agentId: idOf({ name }), description: 'Look after the house.' }
          expectText(await post(client, '/v1/agent/spawn', body), `["${name}"]`)
          books.addRun()
        }
      },
      claim: () =>
        books.takeRun()
          ? async (client) => {
              const answer = await post(client, '/v1/runner/poll', { capacity: 1 })
              const [run] = (JSON.parse(answer) as { runs: { lease: string }[] }).runs
              if (!run) throw new Error('A poll brought no run, though one was waiting')
              books.leases.push(run.lease)
            }
          : undefined,
      complete: () => {
        const lease = books.leases.pop()
        return lease === undefined
          ? undefined
          : async (client) =>
              expectText(
                await post(client, '/v1/runner/complete', { lease, outcome: { reason: 'rested' } }),
                '"accepted":true',
              )
      },
    },
  }
}

export function bare(agents: Agents): Contender {
  const books = new Bookkeeping<string>(agents)
  return {
    keyOf: () => 'caller',
    endRound: () => books.endRound(),
    requests: {
      status: () => {
        const agent = books.any()
        return async (client) => expectText(await post(client, '/status', agent), `["${agent.name}"]`)
      },
      list: () => async (client) =>
        expectEntries(await post(client, '/list', { pageSize: PAGE_SIZE }), '"needsInput":'),
      queue: () => {
        const agent = books.takeResting()
        return (
          agent &&
          (async (client) => {
            await accepted(post(client, '/queue', agent))
            books.addRun()
          })
        )
      },
      spawn: () => {
        const body = { template: agents.at(0).key, name: books.newName() }
        return async (client) => {
          await accepted(post(client, '/spawn', body))
          books.addRun()
        }
      },
      claim: () =>
        books.takeRun()
          ? async (client) => {
              const answer = await post(client, '/claim', {})
              expectText(answer, '"id":"')
              books.leases.push(answer)
            }
          : undefined,
      complete: () => {
        const claimed = books.leases.pop()
        return claimed === undefined ? undefined : (client) => accepted(client.post('/complete', claimed))
      },
    },
  }
}

function idOf({ name }: { readonly name: string }): object {
  return { workspace: 'default', agent: [name] }
}

async function accepted(answer: Promise<string>): Promise<void> {
  expectText(await answer, '"accepted":true')
}

function post(client: BenchClient, path: string, body: object): Promise<string> {
  return client.post(path, JSON.stringify(body))
}

/** Searches instead of parsing: the clients share the machine with what they measure. */
function expectText(answer: string, text: string): void {
  if (!answer.includes(text)) throw new Error(`The answer lacks ${text}: ${answer.slice(0, 200)}`)
}

function expectEntries(answer: string, mark: string): void {
  let entries = 0
  for (let at = answer.indexOf(mark); at !== -1; at = answer.indexOf(mark, at + 1)) entries += 1
  if (entries !== PAGE_SIZE) throw new Error(`The list has ${entries} entries, not ${PAGE_SIZE}`)
}
