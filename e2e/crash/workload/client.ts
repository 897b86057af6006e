import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Random } from '@skein/testkit'
import type { Acknowledged, Effect } from './acknowledged.ts'
import type { Answer, Api } from './api.ts'
import { agentId, CHILDREN, GRANDCHILD, isPreempted } from './paths.ts'
import {
  CHILD_SCRIPT,
  digestOf,
  FAILING_CHILD_SCRIPT,
  PARENT_SCRIPT,
  randomScript,
  RESTING_SCRIPT,
} from './scripts.ts'

/** How many of its latest commands a client may repeat. */
const REPEATABLE = 10

interface Repeatable {
  readonly path: string
  readonly body: object
  readonly key: string
  readonly answer: Answer['body']
}

/** One of many callers: sends commands one by one, each until it is answered. */
export class Client {
  readonly #name: string
  readonly #api: Api
  readonly #random: Random
  readonly #paths: readonly string[]
  readonly #first: readonly string[]
  readonly #mine: { path: string; followUpId: string }[] = []
  readonly log: Acknowledged[] = []
  /**
   * Agents that may have received a message without a key: it was rejected after an unanswered attempt. One entry
   * per message.
   */
  readonly uncertain: string[] = []
  /** Commands it repeated with the same key, and whether the response was the same. */
  readonly repeats: { key: string; isSame: boolean }[] = []
  /** Tasks that were acknowledged, and whether another server knew them at once. */
  readonly ownWrites: { taskId: string; isKnown: boolean }[] = []
  readonly #repeatable: Repeatable[] = []
  #count = 0

  /** Starts by spawning `first`, then does anything to any of `paths`. */
  constructor(
    name: string,
    api: Api,
    random: Random,
    { paths, first }: { paths: readonly string[]; first: readonly string[] },
  ) {
    this.#name = name
    this.#api = api
    this.#random = random
    this.#paths = paths
    this.#first = first
  }

  async work(signal: AbortSignal): Promise<void> {
    const commands: readonly (readonly [weight: number, command: (path: string) => Promise<unknown>])[] = [
      [44, this.#queue],
      [22, this.#spawn],
      [8, this.#createTask],
      [8, this.#remove],
      [4, this.#clear],
      [6, this.#stop],
      [3, this.#kill],
      [4, this.#deferAndRestart],
      [4, this.#deferAndClear],
      [5, this.repeat],
    ]
    for (const path of this.#first) {
      if (signal.aborted) return
      this.#count++
      await this.#spawn(path)
    }
    while (!signal.aborted) {
      this.#count++
      await this.#random.weighted(commands).call(this, this.#random.pick(this.#paths))
      await pause(this.#random.below(120))
    }
  }

  /** The last command for a tree: from here on only its children can wake the root. */
  async gatherFamily(root: string, isFailing: boolean): Promise<void> {
    await (isFailing ? this.#gatherFailingFamily(root) : this.#gatherFinishingFamily(root))
    this.#count++
    await this.#send(root, { description: PARENT_SCRIPT })
  }

  /** A child that fails permanently wakes its parent immediately, and ends its own child. */
  async #gatherFailingFamily(root: string): Promise<void> {
    const [failing, finishing] = CHILDREN.map((name) => `${root}/${name}`) as [string, string]
    await this.#respawn(finishing, CHILD_SCRIPT)
    await this.#respawn(failing, FAILING_CHILD_SCRIPT)
    this.#count++
    await this.#spawn(`${root}/${GRANDCHILD}`, RESTING_SCRIPT)
  }

  /** Finishing children wake their parent when the last one is done. The root is new, so it is certain to wait. */
  async #gatherFinishingFamily(root: string): Promise<void> {
    await this.#respawn(root, RESTING_SCRIPT)
    for (const name of CHILDREN) {
      this.#count++
      await this.#spawn(`${root}/${name}`, CHILD_SCRIPT)
    }
  }

  async #respawn(path: string, description: string): Promise<void> {
    this.#count++
    await this.#kill(path)
    this.#count++
    await this.#spawn(path, description)
  }

  #mint(): string {
    return `${this.#name}-${this.#count}`
  }

  /** Sends a command and records it if acknowledged. Returns whether it was. */
  async #command(
    path: string,
    operation: string,
    body: object,
    effect: (answer: Answer['body']) => Effect,
    isKeyed = true,
  ): Promise<boolean> {
    const sentAt = Date.now()
    const key = isKeyed ? this.#mint() : undefined
    const url = `/v1/agent/${operation}`
    const request = { agentId: agentId(path), ...body }
    const { status, body: answer, isAfterUnknown } = await this.#api.insist(url, request, key)
    if (status !== 200) {
      if (isAfterUnknown && !isKeyed) this.uncertain.push(path)
      return false
    }
    this.log.push({ ...effect(answer), path, sentAt, answeredAt: Date.now() })
    if (key !== undefined) {
      this.#repeatable.push({ path: url, body: request, key, answer })
      if (this.#repeatable.length > REPEATABLE) this.#repeatable.shift()
    }
    return true
  }

  async #spawn(path: string, description = randomScript(this.#random)): Promise<void> {
    const body = { description, autoComplete: this.#random.chance(0.2) }
    await this.#command(path, 'spawn', body, (answer) => ({
      command: 'spawn',
      followUpId: String(answer['followUpId']),
      digest: digestOf(description),
    }))
  }

  async #queue(path: string, isDeferred = this.#random.chance(0.25)): Promise<void> {
    const deliverAt = isDeferred ? Date.now() + 500 + this.#random.below(5_000) : undefined
    await this.#send(
      path,
      {
        description: randomScript(this.#random),
        ...(deliverAt === undefined
          ? { preempt: isPreempted(path) && this.#random.chance(0.2) }
          : { deliverAt: new Date(deliverAt).toISOString() }),
        ...(this.#random.chance(0.1) && { reasoningEffort: 'high' }),
      },
      deliverAt,
    )
  }

  async #send(path: string, message: { description: string }, deliverAt?: number): Promise<void> {
    const followUpId = this.#mint()
    const { description } = message
    const body = { followUpId, ...message }
    // Without a key, its own id makes it safe to resend, but only within one incarnation.
    const isKeyed = this.#random.chance(0.5)
    const digest = digestOf(description)
    const effect = { command: 'queue', followUpId, digest, deliverAt, isKeyed } as const
    const isAcknowledged = await this.#command(path, 'queue', body, () => effect, isKeyed)
    if (isAcknowledged) this.#mine.push({ path, followUpId })
  }

  /** Only its own messages, each once, so that the response can be checked. */
  async #remove(): Promise<void> {
    const [own] = this.#mine.splice(-1 - this.#random.below(Math.min(this.#mine.length, 3)), 1)
    if (!own) return
    const { path, followUpId } = own
    await this.#command(path, 'queue/remove', { followUpId }, ({ removed }) => ({
      command: 'remove',
      followUpId,
      removed: removed === true,
    }))
  }

  async #clear(path: string): Promise<void> {
    await this.#command(path, 'clear-follow-ups', {}, ({ cleared }) => ({
      command: 'clear',
      cleared: Number(cleared),
    }))
  }

  /** Sometimes stops a run that is over, like a delayed stop would. */
  async #stop(path: string): Promise<void> {
    const { status, body } = await this.#api.insist('/v1/agent/status', { agentId: agentId(path) })
    if (status !== 200) return
    const current = Number(body['runCount'])
    const runId = String(this.#random.chance(0.3) ? current - 1 : current)
    const mode = this.#random.pick(['STOP_TURN_MODE_INTERRUPT', 'STOP_TURN_MODE_KILL'])
    await this.#command(path, 'stop-turn', { runId, mode }, () => ({ command: 'stop', runId }))
  }

  async #kill(path: string): Promise<void> {
    await this.#command(path, 'kill', {}, () => ({ command: 'kill' }))
  }

  /** Starts a new incarnation immediately, which must not get anything meant for the old one. */
  async #deferAndRestart(path: string): Promise<void> {
    await this.#queue(path, true)
    await this.#respawn(path, randomScript(this.#random))
  }

  /** A deferred message is not queued yet, so a clear leaves it. */
  async #deferAndClear(path: string): Promise<void> {
    await this.#queue(path, true)
    this.#count++
    await this.#clear(path)
  }

  /** Like a network that delivers a request twice. It must change nothing, whatever has happened since. */
  async repeat(): Promise<void> {
    if (this.#repeatable.length === 0) return
    const { path, body, key, answer } = this.#random.pick(this.#repeatable)
    const again = await this.#api.insist(path, body, key)
    this.repeats.push({ key, isSame: again.status === 200 && isDeepStrictEqual(again.body, answer) })
  }

  /** Whatever was acknowledged is committed, so every other server knows it too. */
  async readOwnWrite(path: string, reader: Api): Promise<void> {
    this.#count++
    const taskId = await this.#createTask(path)
    if (taskId === undefined) return
    const { body } = await reader.insist('/v1/agent/status', { agentId: agentId(path) })
    const tasks = Array.isArray(body['tasks']) ? (body['tasks'] as { id: string }[]) : []
    this.ownWrites.push({ taskId, isKnown: tasks.some(({ id }) => id === taskId) })
  }

  /** Returns the id if the task was acknowledged. */
  async #createTask(path: string): Promise<string | undefined> {
    const taskId = this.#mint()
    const tasks = [{ id: taskId, subject: 'Do it', status: 'TASK_STATUS_PENDING' }]
    const effect = { command: 'tasks', taskId } as const
    return (await this.#command(path, 'tasks/create', { tasks }, () => effect)) ? taskId : undefined
  }
}
