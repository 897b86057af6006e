import { toListRequest } from './agent-filter.ts'
import { toResult, type AgentResult } from './agent-result.ts'
import { formatAgentName, parsePath, type AgentAddress } from './agent-name.ts'
import type {
  AgentListOptions,
  ContinueOptions,
  FollowUpPageOptions,
  SendOptions,
  StopOptions,
  TimelineOptions,
} from './agent-options.ts'
import { createRandomId } from './call/build-request.ts'
import type { Connection, RequestOptions } from './call/connection.ts'
import { followStream, type WatchOptions } from './stream/follow-stream.ts'
import type {
  AgentEntry,
  AgentId,
  AgentStatus,
  FollowUp,
  ListFollowUpsResponse,
  ListTasksResponse,
  ReadTimelineResponse,
  SpawnAgentResponse,
  Task,
  TaskInput,
  TaskUpdate,
  TimelineEvent,
  WaitForAgentResponse,
} from './generated/types.ts'
import { toWireSettings } from './plain-settings.ts'
import { readPages } from './read-pages.ts'
import { toSpawnRequest, type SpawnFields } from './spawn-fields.ts'
import { waitForAgent, type WaitOptions } from './wait-for-agent.ts'

/**
 * One agent: a handle that knows its id and makes no request until a method is called. It does not say that the
 * agent exists.
 *
 * @example
 * const { phase, needsInput } = await skein.agent('shop/release').status()
 */
export class Agent<Output = unknown> {
  readonly #connection: Connection
  /** What is left out comes from the key. */
  readonly id: AgentAddress

  /** @internal */
  constructor(connection: Connection, id: AgentAddress) {
    this.#connection = connection
    this.id = id
  }

  /**
   * `workspace/agent/child`.
   *
   * @example
   * console.log(agent.name)
   */
  get name(): string {
    return formatAgentName(this.id)
  }

  /**
   * Its name, so that it reads well in a log.
   *
   * @example
   * console.log(`Waiting for ${String(agent)}`)
   */
  toString(): string {
    return this.name
  }

  /**
   * Everything about the agent at this moment.
   *
   * @example
   * const { phase, cost, tasks } = await agent.status()
   */
  status(options: RequestOptions = {}): Promise<AgentStatus> {
    return this.#connection.call('agentStatus', { body: { agentId: this.id } }, options)
  }

  /**
   * Sends a message. It waits for the turn in progress, and wakes an agent at rest.
   *
   * @example
   * const { followUpId } = await agent.send('Also cover refunds.')
   * await agent.send('Drop that: the build is broken.', { preempt: true })
   * await agent.send('Check the deployment.', { deliverAt: '2026-12-01T08:00:00Z', id: 'check-1' })
   */
  send(text: string, { id, ...options }: SendOptions = {}): Promise<{ readonly followUpId: string }> {
    const {
      signal: _signal,
      timeoutMs: _timeoutMs,
      retries: _retries,
      idempotencyKey: _key,
      ...fields
    } = options
    const body = { agentId: this.id, description: text, followUpId: id, ...toWireSettings(fields) }
    return this.#connection.call('queueFollowUp', { body }, options)
  }

  /**
   * Continues an agent that has ended, with this message: its conversation, branch, unfinished work, open tasks and
   * settings are as it left them, and so is its budget with what was spent. The reason is `AGENT_ALREADY_EXISTS` when
   * the agent is alive: send to it instead.
   *
   * @example
   * import { isTerminal } from '@skein/client'
   *
   * const { phase } = await agent.status()
   * if (isTerminal(phase)) await agent.continue('Now the same for refunds.')
   */
  continue(text: string, options: ContinueOptions = {}): Promise<SpawnedAgent<Output>> {
    const { signal, timeoutMs, retries, idempotencyKey, ...fields } = options
    return spawnAgent(
      this.#connection,
      { ...fields, agentId: this.id, description: text, resume: true },
      { signal, timeoutMs, retries, idempotencyKey },
    )
  }

  /**
   * Every message that is not delivered yet, oldest first, with its whole text. The status shows only the first ones.
   *
   * @example
   * for await (const { followUpId, description } of agent.followUps()) console.log(followUpId, description)
   */
  followUps(options: FollowUpPageOptions = {}): AsyncGenerator<FollowUp, void> {
    return readPages(async (pageToken) => {
      const { followUps, nextPageToken } = await this.listFollowUps({ ...options, pageToken })
      return { entries: followUps, nextPageToken }
    })
  }

  /**
   * One page of them; `nextPageToken` is empty on the last.
   *
   * @example
   * const { followUps, nextPageToken } = await agent.listFollowUps({ pageSize: 10 })
   */
  listFollowUps({
    pageSize,
    pageToken,
    ...options
  }: FollowUpPageOptions = {}): Promise<ListFollowUpsResponse> {
    const body = { agentId: this.id, pageSize, pageToken }
    return this.#connection.call('listFollowUps', { body }, options)
  }

  /**
   * Takes back a message that was not delivered yet. `removed` says whether there was one.
   *
   * @example
   * const { removed } = await agent.removeFollowUp('check-1')
   */
  removeFollowUp(followUpId: string, options: RequestOptions = {}): Promise<{ readonly removed: boolean }> {
    const body = { agentId: this.id, followUpId }
    return this.#connection.call('removeFollowUp', { body }, options)
  }

  /**
   * Discards every queued message. Deferred ones stay.
   *
   * @example
   * const { cleared } = await agent.clearFollowUps()
   */
  clearFollowUps(options: RequestOptions = {}): Promise<{ readonly cleared: number }> {
    return this.#connection.call('clearFollowUps', { body: { agentId: this.id } }, options)
  }

  /**
   * Stops the current turn; the agent lives on. The answer names the turn that was stopped: give that as `runId` if
   * you repeat the call yourself, and no later turn is ever hit. When none is running, the reason is
   * `RUN_NOT_CURRENT`.
   *
   * @example
   * const { runId } = await agent.stop()
   * await agent.stop({ runId, mode: 'STOP_TURN_MODE_KILL' })
   */
  async stop({ mode, runId, ...options }: StopOptions = {}): Promise<{ readonly runId: string }> {
    // The key of a change is not for the reading before it.
    const current = runId ?? (await this.status({ ...options, idempotencyKey: undefined })).runCount
    const body = { agentId: this.id, runId: current, mode }
    await this.#connection.call('stopTurn', { body }, options)
    return { runId: current }
  }

  /**
   * Ends the agent with all its descendants.
   *
   * @example
   * await agent.kill()
   */
  async kill(options: RequestOptions = {}): Promise<void> {
    await this.#connection.call('killAgent', { body: { agentId: this.id } }, options)
  }

  /**
   * Waits until the agent completes, fails, is canceled or rests. `WAIT_REASON_UNSPECIFIED` means that the time was
   * over first.
   *
   * @example
   * const { reason, status } = await agent.wait({ timeoutMs: 600_000 })
   * if (reason === 'WAIT_REASON_WAITING') console.log(status.needsInput)
   */
  wait(options: WaitOptions = {}): Promise<WaitForAgentResponse> {
    return waitForAgent(this.#connection, this.id, options)
  }

  /**
   * Waits as `wait` does, and tells what came of it in plain words and numbers. `output` is what the agent answered
   * under its `outputSchema`, of the type that the agent was spawned or looked up with.
   *
   * @example
   * const { outcome, question } = await agent.result({ timeoutMs: 600_000 })
   * if (outcome === 'waiting') await agent.send(question === '' ? 'Go on.' : 'Yes.')
   * const verdict = await skein.agent<{ readonly isGood: boolean }>('shop/verdict').result()
   * console.log(verdict.output?.isGood)
   */
  async result(options: WaitOptions = {}): Promise<AgentResult<Output>> {
    return toResult(await this.wait(options))
  }

  /**
   * The timeline from a place on, and then whatever happens, as it happens. A cut connection is opened again and no
   * event is missed or given twice. Does not end by itself, because an ended agent can be spawned again: leave the
   * loop, or abort the signal.
   *
   * @example
   * import { isTerminal } from '@skein/client'
   *
   * for await (const event of agent.watch()) {
   *   if (event.type === 'run.message') console.log(event.text)
   *   if (event.type === 'agent.phase-changed' && isTerminal(event.to)) break
   * }
   */
  async *watch({
    after = '0',
    ...options
  }: WatchOptions & { readonly after?: string | undefined } = {}): AsyncGenerator<TimelineEvent, void> {
    const connection = this.#connection
    let seen = BigInt(after)
    const stream = {
      name: 'watchAgent',
      open: (onOpen: () => void) => {
        const body = { agentId: this.id, afterSequence: String(seen) }
        return connection.stream('watchAgent', { body }, { signal: options.signal, onOpen })
      },
    }
    for await (const event of followStream(stream, connection.options, options)) {
      const sequence = BigInt(event.sequence)
      // Something between us and the service may have kept an old answer.
      if (sequence <= seen) continue
      seen = sequence
      yield event
    }
  }

  /**
   * What happened to the agent so far, oldest first.
   *
   * @example
   * for await (const event of agent.timeline({ after: '120' })) console.log(event.sequence, event.type)
   */
  async *timeline({ after = '0', pageSize, signal }: TimelineOptions = {}): AsyncGenerator<
    TimelineEvent,
    void
  > {
    let seen = after
    for (;;) {
      const { events, lastSequence } = await this.readTimeline({ after: seen, pageSize, signal })
      yield* events
      const last = events.at(-1)
      if (last === undefined || last.sequence === lastSequence) return
      seen = last.sequence
    }
  }

  /**
   * One page of the timeline, with the number of its newest event: for reading backwards, from the end.
   *
   * @example
   * const { lastSequence } = await agent.readTimeline({ pageSize: 1 })
   * const { events } = await agent.readTimeline({ after: String(Math.max(0, Number(lastSequence) - 100)) })
   */
  readTimeline({ after, pageSize, signal }: TimelineOptions = {}): Promise<ReadTimelineResponse> {
    const body = { agentId: this.id, afterSequence: after, pageSize }
    return this.#connection.call('readTimeline', { body }, { signal })
  }

  /**
   * The checklist, with the ids of those tasks that hold up completion.
   *
   * @example
   * const { tasks, openTaskIds } = await agent.tasks()
   */
  tasks(options: RequestOptions = {}): Promise<ListTasksResponse> {
    return this.#connection.call('listTasks', { body: { agentId: this.id } }, options)
  }

  /**
   * Adds to the checklist, all of them or none, and answers with the whole of it.
   *
   * @example
   * await agent.createTasks([{ id: 'docs', subject: 'Update the docs', blockedBy: ['tests'] }])
   */
  async createTasks(tasks: readonly TaskInput[], options: RequestOptions = {}): Promise<readonly Task[]> {
    const body = { agentId: this.id, tasks }
    return (await this.#connection.call('createTasks', { body }, options)).tasks
  }

  /**
   * Changes tasks, all of them or none, and answers with the whole checklist.
   *
   * @example
   * await agent.updateTasks([{ id: 'docs', status: 'TASK_STATUS_COMPLETED' }])
   */
  async updateTasks(tasks: readonly TaskUpdate[], options: RequestOptions = {}): Promise<readonly Task[]> {
    const body = { agentId: this.id, tasks }
    return (await this.#connection.call('updateTasks', { body }, options)).tasks
  }

  /**
   * Sets what the agent may spend with its whole subtree, in US dollars; 0 takes the budget away. `resumed` says how
   * many agents go on that rested for want of budget.
   *
   * @example
   * const { resumed } = await agent.setBudget(20)
   */
  setBudget(maxCost: number, options: RequestOptions = {}): Promise<{ readonly resumed: number }> {
    return this.#connection.call('setBudget', { body: { agentId: this.id, maxCost } }, options)
  }

  /**
   * Spawns a child. Its workspace and owner are those of this agent.
   *
   * @example
   * const child = await agent.spawn({ name: 'docs', description: 'Update the docs for the new flag.' })
   * await child.wait()
   */
  spawn<Answer = unknown>(
    { name = `child-${createRandomId().slice(0, 8)}`, ...fields }: Omit<SpawnFields, 'workspace' | 'agentId'>,
    options: RequestOptions = {},
  ): Promise<SpawnedAgent<Answer>> {
    const agentId = { ...this.id, agent: [...this.id.agent, ...parsePath(name)] }
    return spawnAgent(this.#connection, { ...fields, agentId }, options)
  }

  /**
   * Its children, newest first.
   *
   * @example
   * for await (const { agentId, phase } of agent.children({ includeTerminal: true })) {
   *   console.log(skein.agent(agentId).name, phase)
   * }
   */
  children(filter: Omit<AgentListOptions, 'parent'> = {}): AsyncGenerator<AgentEntry, void> {
    return listAgents(this.#connection, { ...filter, parent: this.id })
  }
}

/**
 * An agent that this program has just spawned.
 *
 * @example
 * const spawned = await skein.spawn({ description: 'Fix the checkout.', workspace: 'shop' })
 * console.log(spawned.name, spawned.dashboardUrl)
 */
export class SpawnedAgent<Output = unknown> extends Agent<Output> {
  /** Complete with tenant, owner and workspace. */
  declare readonly id: AgentId
  /** Of the first message. */
  readonly followUpId: string
  /** Where to look at the agent in a browser. */
  readonly dashboardUrl: string

  /** @internal */
  constructor(connection: Connection, { agentId, followUpId, dashboardUrl }: SpawnAgentResponse) {
    super(connection, agentId)
    this.followUpId = followUpId
    this.dashboardUrl = dashboardUrl
  }
}

export async function spawnAgent<Output = unknown>(
  connection: Connection,
  fields: SpawnFields,
  options: RequestOptions,
): Promise<SpawnedAgent<Output>> {
  return new SpawnedAgent(
    connection,
    await connection.call('spawnAgent', { body: toSpawnRequest(fields) }, options),
  )
}

export function listAgents(
  connection: Connection,
  { pageSize, signal, ...filter }: AgentListOptions,
): AsyncGenerator<AgentEntry, void> {
  const request = toListRequest(filter)
  return readPages((pageToken) =>
    connection.call('listAgents', { body: { ...request, pageSize, pageToken } }, { signal }),
  )
}
