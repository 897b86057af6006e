import { toListRequest } from './agent-filter.ts'
import { toResult, type AgentResult } from './agent-result.ts'
import { formatAgentName, parsePath, type AgentAddress } from './agent-name.ts'
import type {
  AgentListOptions,
  ContinueOptions,
  DiffPageOptions,
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
  AgentPullRequest,
  AgentStatus,
  CommentOnDiffRequest,
  Diff,
  DiffFile,
  FollowUp,
  ListFollowUpsResponse,
  ListTasksResponse,
  ReadDiffResponse,
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
 * One agent. This is only a handle: it makes no request until a method is called, and the agent need not exist.
 *
 * @example
 * const { phase, needsInput } = await skein.agent('shop/release').status()
 */
export class Agent<Output = unknown> {
  readonly #connection: Connection
  /** Missing parts come from the key. */
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
   * The agent's name, for logs.
   *
   * @example
   * console.log(`Waiting for ${String(agent)}`)
   */
  toString(): string {
    return this.name
  }

  /**
   * The agent's current status.
   *
   * @example
   * const { phase, cost, tasks } = await agent.status()
   */
  status(options: RequestOptions = {}): Promise<AgentStatus> {
    return this.#connection.call('agentStatus', { body: { agentId: this.id } }, options)
  }

  /**
   * Sends a message. It is delivered after the turn in progress, and wakes an idle agent.
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
   * Continues an ended agent with this message. It keeps its conversation, branch, unfinished work, open tasks,
   * settings and budget, including what was spent. If the agent has not ended, the reason is `AGENT_ALREADY_EXISTS`:
   * send it a message instead.
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
   * All undelivered messages, oldest first, with their full text. The status shows only the first ones.
   *
   * @example
   * for await (const { followUpId, description } of agent.followUps()) console.log(followUpId, description)
   */
  followUps(options: FollowUpPageOptions = {}): AsyncGenerator<FollowUp, void> {
    return readPages(
      (pageToken) => this.listFollowUps({ ...options, pageToken }),
      ({ followUps }) => followUps,
    )
  }

  /**
   * One page of the undelivered messages; `nextPageToken` is empty on the last.
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
   * Removes an undelivered message. `removed` says whether there was one.
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
   * Stops the current turn; the agent stays alive. Returns the `runId` of the stopped turn: pass it if you repeat
   * the call yourself, so that no later turn is stopped. If none is running, the reason is `RUN_NOT_CURRENT`.
   *
   * @example
   * const { runId } = await agent.stop()
   * await agent.stop({ runId, mode: 'STOP_TURN_MODE_KILL' })
   */
  async stop({ mode, runId, ...options }: StopOptions = {}): Promise<{ readonly runId: string }> {
    // The idempotency key is for the change, not for the read before it.
    const current = runId ?? (await this.status({ ...options, idempotencyKey: undefined })).runCount
    const body = { agentId: this.id, runId: current, mode }
    await this.#connection.call('stopTurn', { body }, options)
    return { runId: current }
  }

  /**
   * Ends the agent and all its descendants.
   *
   * @example
   * await agent.kill()
   */
  async kill(options: RequestOptions = {}): Promise<void> {
    await this.#connection.call('killAgent', { body: { agentId: this.id } }, options)
  }

  /**
   * Waits until the agent completes, fails, is canceled or waits for a message. `WAIT_REASON_UNSPECIFIED` means that the
   * wait timed out.
   *
   * @example
   * const { reason, status } = await agent.wait({ timeoutMs: 600_000 })
   * if (reason === 'WAIT_REASON_WAITING') console.log(status.needsInput)
   */
  wait(options: WaitOptions = {}): Promise<WaitForAgentResponse> {
    return waitForAgent(this.#connection, this.id, options)
  }

  /**
   * Waits like `wait`, and returns the result in a convenient form. `output` is the agent's answer according to its
   * `outputSchema`, of the type the agent was spawned or looked up with.
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
   * The timeline from a given position, followed by new events as they happen. Reconnects automatically, without
   * missing or repeating events. Doesn't end by itself, because an ended agent can be spawned again: leave the loop,
   * or abort the signal.
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
      // A proxy may have cached an old response.
      if (sequence <= seen) continue
      seen = sequence
      yield event
    }
  }

  /**
   * The agent's events so far, oldest first.
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
   * One page of the timeline, and the number of the newest event. Useful for reading backwards from the end.
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
   * The pull requests that the agent opened, the newest first. At most ten.
   *
   * @example
   * for (const { number, state, checks } of await agent.pullRequests()) console.log(number, state, checks)
   */
  async pullRequests(options: RequestOptions = {}): Promise<readonly AgentPullRequest[]> {
    const body = { agentId: this.id }
    return (await this.#connection.call('listPullRequests', { body }, options)).pullRequests
  }

  /**
   * What the agent pushed, the newest first: a diff of each branch against its base, with scope `branch`, and one of
   * each of the last pushes. At most ten.
   *
   * @example
   * for (const { branch, scope, fileCount } of await agent.diffs()) console.log(branch, scope, fileCount)
   */
  async diffs(options: RequestOptions = {}): Promise<readonly Diff[]> {
    return (await this.#connection.call('listDiffs', { body: { agentId: this.id } }, options)).diffs
  }

  /**
   * The files of a diff, in the order of git.
   *
   * @example
   * const [diff] = await agent.diffs()
   * if (diff) for await (const { path, patch } of agent.diffFiles(diff.diffId, { withPatches: true })) console.log(path, patch)
   */
  diffFiles(diffId: string, options: DiffPageOptions = {}): AsyncGenerator<DiffFile, void> {
    return readPages(
      (pageToken) => this.readDiff(diffId, { ...options, pageToken }),
      ({ files }) => files,
    )
  }

  /**
   * A diff with one page of its files, or with one file. `nextPageToken` is empty on the last page.
   *
   * @example
   * const { files } = await agent.readDiff('5f0c1c1e-7b1f-8a4e-9b0a-3f1c8f0f2d11', { file: 0, withPatches: true })
   */
  readDiff(
    diffId: string,
    {
      withPatches,
      file,
      pageSize,
      pageToken,
      ...options
    }: DiffPageOptions & { readonly file?: number | undefined } = {},
  ): Promise<ReadDiffResponse> {
    const body = { agentId: this.id, diffId, withPatches, file, pageSize, pageToken }
    return this.#connection.call('readDiff', { body }, options)
  }

  /**
   * Sends the agent a comment on a line that it pushed, with a task. The same comment sent again has no further effect.
   *
   * @example
   * const [diff] = await agent.diffs()
   * if (diff) await agent.commentOnDiff(diff.diffId, { file: 0, side: 'after', line: 7, text: 'Retry three times.' })
   */
  commentOnDiff(
    diffId: string,
    comment: Omit<CommentOnDiffRequest, 'agentId' | 'diffId'>,
    options: RequestOptions = {},
  ): Promise<{ readonly followUpId: string }> {
    return this.#connection.call('commentOnDiff', { body: { agentId: this.id, diffId, ...comment } }, options)
  }

  /**
   * The checklist, with the ids of the tasks that prevent completion.
   *
   * @example
   * const { tasks, openTaskIds } = await agent.tasks()
   */
  tasks(options: RequestOptions = {}): Promise<ListTasksResponse> {
    return this.#connection.call('listTasks', { body: { agentId: this.id } }, options)
  }

  /**
   * Adds tasks, all or none. Returns the whole checklist.
   *
   * @example
   * await agent.createTasks([{ id: 'docs', subject: 'Update the docs', blockedBy: ['tests'] }])
   */
  async createTasks(tasks: readonly TaskInput[], options: RequestOptions = {}): Promise<readonly Task[]> {
    const body = { agentId: this.id, tasks }
    return (await this.#connection.call('createTasks', { body }, options)).tasks
  }

  /**
   * Changes tasks, all or none. Returns the whole checklist.
   *
   * @example
   * await agent.updateTasks([{ id: 'docs', status: 'TASK_STATUS_COMPLETED' }])
   */
  async updateTasks(tasks: readonly TaskUpdate[], options: RequestOptions = {}): Promise<readonly Task[]> {
    const body = { agentId: this.id, tasks }
    return (await this.#connection.call('updateTasks', { body }, options)).tasks
  }

  /**
   * Sets the budget of the agent and its subtree, in US dollars; 0 removes it. `resumed` is the number of agents
   * that continue after having run out of budget.
   *
   * @example
   * const { resumed } = await agent.setBudget(20)
   */
  setBudget(maxCost: number, options: RequestOptions = {}): Promise<{ readonly resumed: number }> {
    return this.#connection.call('setBudget', { body: { agentId: this.id, maxCost } }, options)
  }

  /**
   * Spawns a child in this agent's workspace, with the same owner.
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
   * The agent's children, newest first.
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
 * An agent this program has just spawned.
 *
 * @example
 * const spawned = await skein.spawn({ description: 'Fix the checkout.', workspace: 'shop' })
 * console.log(spawned.name, spawned.dashboardUrl)
 */
export class SpawnedAgent<Output = unknown> extends Agent<Output> {
  /** Complete, with tenant, owner and workspace. */
  declare readonly id: AgentId
  /** Id of the first message. */
  readonly followUpId: string
  /** URL of the agent in the dashboard. */
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
  return readPages(
    (pageToken) => connection.call('listAgents', { body: { ...request, pageSize, pageToken } }, { signal }),
    ({ entries }) => entries,
  )
}
