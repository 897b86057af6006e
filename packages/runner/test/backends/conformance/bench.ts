import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { SandboxProcessEntry } from './sandbox-processes.ts'
import type { Stage } from './stage.ts'
import { TestAgent, type AgentOptions } from './test-agent.ts'

/** What one case works with; its agents end with it. */
export class Bench {
  readonly stage: Stage
  readonly #agents: TestAgent[] = []

  constructor(stage: Stage) {
    this.stage = stage
  }

  async openAgent(options: AgentOptions = {}): Promise<TestAgent> {
    const id = `conf-${randomBytes(6).toString('hex')}`
    const agent = await TestAgent.open(this.stage, id, join(this.stage.root, id), options)
    this.#agents.push(agent)
    return agent
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.close()))
  }

  listProcesses(): readonly SandboxProcessEntry[] {
    return this.#agents.flatMap((agent) => agent.processes())
  }

  /** Says something only where nothing else ran beside the case. */
  noteTimings(): void {
    for (const { kind, ms } of this.#agents.flatMap(({ firstRequests }) => firstRequests)) {
      this.stage.firstRequests[kind].push(ms)
    }
  }
}
