import { randomUUID } from 'node:crypto'
import { waitFor, type PostgresServer } from '@skein/testkit'
import type { Client, WorkflowHandle } from '@temporalio/client'
import { query } from '../automations/query.ts'
import { ExampleWorker } from './example-worker.ts'
import type { SkeinService } from './skein-service.ts'
import type { TemporalServer } from './temporal-server.ts'

/** An agent of a workflow, as PostgreSQL has it. */
export interface FoundAgent {
  readonly name: string
  readonly hasEnded: boolean
  readonly phase: string
  /** How often it was spawned. */
  readonly lives: number
  readonly runs: number
}

interface Parts {
  readonly project: string
  readonly postgres: PostgresServer
  readonly temporal: TemporalServer
  readonly service: SkeinService
  readonly client: Client
}

/** Starts workflows and workers, and looks at what became of the agents. */
export class Trial {
  readonly #parts: Parts
  readonly counts = { workflows: 0, agents: 0, workerKills: 0, temporalKills: 0 }
  #worker: ExampleWorker | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async startWorker(): Promise<void> {
    const { project, service, temporal } = this.#parts
    const env = { SKEIN_URL: service.url, SKEIN_API_KEY: service.apiKey, TEMPORAL_ADDRESS: temporal.address }
    this.#worker = await ExampleWorker.start(project, env)
  }

  async killWorker(): Promise<void> {
    await this.#worker?.kill()
    this.counts.workerKills++
  }

  async shutDownWorker(): Promise<void> {
    await this.#worker?.shutDown()
  }

  async endWorker(): Promise<void> {
    await this.#worker?.kill()
  }

  async killTemporal(): Promise<void> {
    await this.#parts.temporal.kill()
    this.counts.temporalKills++
    await this.#parts.temporal.restart()
  }

  /** Three agents, then one that merges. Returns once the three are there. */
  async startThreeViews(workspace: string): Promise<WorkflowHandle> {
    const handle = await this.#parts.client.workflow.start('threeViews', {
      taskQueue: 'agents',
      workflowId: `three-views-${randomUUID()}`,
      args: [{ workspace, question: 'How could the checkout be better?' }],
      workflowTaskTimeout: '3 seconds',
    })
    this.counts.workflows++
    await waitFor(async () => (await this.agentsOf(handle)).length === 3, {
      what: 'three agents',
      timeoutMs: 60_000,
      intervalMs: 100,
    })
    return handle
  }

  async agentsOf({ workflowId }: WorkflowHandle): Promise<readonly FoundAgent[]> {
    const rows = await query<{ name: string; ended: boolean; phase: string; lives: number; runs: number }>(
      this.#parts.postgres,
      `select a.state -> 'identity' -> 'path' ->> 0 as name, a.is_terminal as ended, a.state ->> 'phase' as phase,
         (select count(*)::int from timeline t where t.agent_id = a.id and t.event ->> 'type' = 'agent.spawned') as lives,
         (select count(*)::int from timeline t where t.agent_id = a.id and t.event ->> 'type' = 'run.started') as runs
       from agent a where a.state -> 'labels' ->> 'temporal/workflow' = '${workflowId}'`,
    )
    return rows.map(({ ended: hasEnded, ...row }) => ({ ...row, hasEnded }))
  }

  async untilAllEnded(handle: WorkflowHandle): Promise<void> {
    await waitFor(async () => (await this.agentsOf(handle)).every(({ hasEnded }) => hasEnded), {
      what: 'all agents to be stopped',
      timeoutMs: 60_000,
      intervalMs: 200,
    })
  }
}
