import type { Transport } from '@skein/client'
import {
  agentStatus,
  createTasks,
  killAgent,
  listAgents,
  listTasks,
  queueFollowUp,
  spawnAgent,
  stopTurn,
  updateTasks,
  type AgentEntry,
  type AgentId,
  type AgentStatus,
  type Task,
  type TaskStatus,
} from '@skein/contract'

export interface NewChild {
  readonly name: string
  readonly description: string
  readonly expectedOutput: string
  readonly persona: string
  readonly model: string
  readonly reasoningEffort: string
  readonly outputSchema: string
  readonly maxCost: number
}

/**
 * The service, as one run may use it. Every call uses the run's own key, so the service itself restricts it to the
 * agent's subtree. Each change carries the id of its tool call, so that a repeated call takes effect once.
 */
export class AgentApi {
  readonly #transport: Transport
  readonly #agentId: AgentId

  constructor(transport: Transport, agentId: AgentId) {
    this.#transport = transport
    this.#agentId = agentId
  }

  async listTasks(): Promise<{ tasks: readonly Task[]; openTaskIds: readonly string[] }> {
    return this.#transport.call(listTasks, { body: { agentId: this.#agentId } })
  }

  async createTask(
    callId: string,
    task: { subject: string; description: string; blockedBy: readonly string[] },
  ): Promise<Task | undefined> {
    const body = { agentId: this.#agentId, tasks: [{ ...task, blockedBy: [...task.blockedBy] }] }
    const { tasks } = await this.#transport.call(createTasks, { idempotencyKey: callId, body })
    return tasks.at(-1)
  }

  async updateTask(
    callId: string,
    task: { id: string; subject?: string; description?: string; status?: TaskStatus },
  ): Promise<Task | undefined> {
    const { tasks } = await this.#transport.call(updateTasks, {
      idempotencyKey: callId,
      body: { agentId: this.#agentId, tasks: [task] },
    })
    return tasks.find(({ id }) => id === task.id)
  }

  async spawnChild(callId: string, { name, persona, ...work }: NewChild): Promise<void> {
    await this.#transport.call(spawnAgent, {
      idempotencyKey: callId,
      body: {
        agentId: this.#childId(name),
        agent: persona,
        autoComplete: true,
        ...work,
      },
    })
  }

  async listChildren(): Promise<readonly AgentEntry[]> {
    const { entries } = await this.#transport.call(listAgents, {
      body: { parentId: this.#agentId, includeTerminal: true },
    })
    return entries
  }

  async readChild(name: string): Promise<AgentStatus> {
    return this.#transport.call(agentStatus, { body: { agentId: this.#childId(name) } })
  }

  async messageChild(callId: string, name: string, description: string): Promise<void> {
    await this.#transport.call(queueFollowUp, {
      idempotencyKey: callId,
      body: { agentId: this.#childId(name), description },
    })
  }

  async stopChild(callId: string, name: string, runId: string): Promise<void> {
    await this.#transport.call(stopTurn, {
      idempotencyKey: callId,
      body: { agentId: this.#childId(name), runId },
    })
  }

  async endChild(callId: string, name: string): Promise<void> {
    await this.#transport.call(killAgent, { idempotencyKey: callId, body: { agentId: this.#childId(name) } })
  }

  #childId(name: string): AgentId {
    return { ...this.#agentId, agent: [...this.#agentId.agent, name] }
  }
}
