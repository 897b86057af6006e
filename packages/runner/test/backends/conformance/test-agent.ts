import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inlineScript, type LoggedRequest, type SimulatorStep } from '@skein/simulator'
import { waitFor } from '@skein/testkit'
import type {
  Backend,
  Program,
  ProgramSetup,
  Turn,
  TurnEvent,
  TurnLimits,
  TurnResult,
} from '../../../src/backends/backend.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { unlimited } from '../../limits.ts'
import { findProcesses, findProgram, type SandboxProcessEntry } from './sandbox-processes.ts'
import type { Stage } from './stage.ts'
import { Redactor } from '../../../src/secrets/redactor.ts'

const run = promisify(execFile)

/** Far above what any case needs, so that one that hangs says so. */
const DEFAULT_LIMITS: TurnLimits = { wallMs: 60_000, idleMs: 30_000 }

export interface AgentOptions {
  readonly setup?: Partial<ProgramSetup>
  readonly backend?: Backend
  /** Before the program is opened. */
  readonly prepare?: (agent: TestAgent) => Promise<void>
}

export interface TurnOptions {
  readonly limits?: Partial<TurnLimits>
  /** In front of the script. */
  readonly words?: string
}

export interface RunningTurn {
  readonly turn: Turn
  /** Grows as they arrive. */
  readonly events: readonly TurnEvent[]
  /** After the last event. */
  readonly result: Promise<TurnResult>
}

export interface FinishedTurn {
  readonly events: readonly TurnEvent[]
  readonly result: TurnResult
}

/** An agent with a repository, a sandbox and a program in it. */
export class TestAgent {
  readonly #stage: Stage
  readonly #backend: Backend
  readonly #setup: Partial<ProgramSetup>
  readonly #sandbox: Sandbox
  #program: Program | undefined
  #startsOfProgram = 0
  /** Unique, and in the paths of both directories: every process of the agent carries it. */
  readonly id: string
  readonly workDir: string
  readonly stateDir: string
  readonly gatewayToken: string
  readonly toolsToken: string
  /** From the start of a turn to its first request. */
  readonly firstRequests: { readonly kind: 'cold' | 'warm'; readonly ms: number }[] = []

  static async open(stage: Stage, id: string, root: string, options: AgentOptions): Promise<TestAgent> {
    const workDir = join(root, 'work')
    const stateDir = join(root, 'state')
    await mkdir(workDir, { recursive: true })
    await run('git', ['init', '--quiet', '--initial-branch=main'], { cwd: workDir })
    await run('git', ['config', 'user.name', 'Agent'], { cwd: workDir })
    await run('git', ['config', 'user.email', 'agent@example.test'], { cwd: workDir })
    const backend = options.backend ?? stage.subject.openBackend()
    const sandbox = await stage.provider.create({
      id,
      workDir,
      stateDir,
      readOnlyPaths: await backend.programPaths(),
      network: 'gateway',
      front: stage.front,
      limits: unlimited,
    })
    const agent = new TestAgent(stage, id, backend, sandbox, options.setup ?? {})
    await options.prepare?.(agent)
    return agent
  }

  private constructor(
    stage: Stage,
    id: string,
    backend: Backend,
    sandbox: Sandbox,
    setup: Partial<ProgramSetup>,
  ) {
    this.#stage = stage
    this.#backend = backend
    this.#setup = setup
    this.id = id
    this.workDir = sandbox.spec.workDir
    this.stateDir = sandbox.spec.stateDir
    this.gatewayToken = `gateway-${id}`
    this.toolsToken = `tools-${id}`
    stage.tools.issueToken(this.toolsToken)
    stage.gatewayTokens.add(this.gatewayToken)
    this.#sandbox = {
      ...sandbox,
      spawn: (command) => {
        this.#startsOfProgram += 1
        return sandbox.spawn(command)
      },
    }
  }

  /** Opened when it is first needed. */
  get program(): Program {
    return (this.#program ??= this.#backend.open(this.#completeSetup({})))
  }

  /** How often a program was started in the sandbox. */
  get startsOfProgram(): number {
    return this.#startsOfProgram
  }

  /** Ends the program and gets another one ready, as a runner does between turns. */
  async reopen(setup: Partial<ProgramSetup>): Promise<void> {
    await this.#program?.close()
    this.#program = this.#backend.open(this.#completeSetup(setup))
  }

  start(steps: readonly SimulatorStep[], { limits = {}, words = 'Go.' }: TurnOptions = {}): RunningTurn {
    const kind = this.#startsOfProgram === 0 ? 'cold' : 'warm'
    const startsBefore = this.#startsOfProgram
    const requestsBefore = this.requests().length
    const startedAt = Date.now()
    const turn = this.program.startTurn({
      prompt: `${words}\n\n${inlineScript(steps)}`,
      limits: { ...DEFAULT_LIMITS, ...limits },
    })
    const events: TurnEvent[] = []
    const follow = async (): Promise<TurnResult> => {
      for await (const event of turn.events) events.push(event)
      const request = this.requests()[requestsBefore]
      const isRestarted = kind === 'warm' && this.#startsOfProgram > startsBefore
      if (request && !isRestarted) this.firstRequests.push({ kind, ms: request.startedAt - startedAt })
      return turn.result
    }
    return { turn, events, result: follow() }
  }

  async run(steps: readonly SimulatorStep[], options?: TurnOptions): Promise<FinishedTurn> {
    const { events, result } = this.start(steps, options)
    return { events, result: await result }
  }

  /** What the agent itself asked the model, oldest first. */
  requests(): readonly LoggedRequest[] {
    return this.#stage.simulator.requests.filter(
      ({ apiKey, isSide }) => apiKey === this.gatewayToken && !isSide,
    )
  }

  processes(): readonly SandboxProcessEntry[] {
    return findProcesses(this.id)
  }

  processesOf(program: string): readonly SandboxProcessEntry[] {
    return findProgram(program, this.id)
  }

  /** Until a shell command of the agent has made the file in its work directory. */
  async waitForFile(name: string): Promise<void> {
    await waitFor(() => existsSync(join(this.workDir, name)), {
      what: `the file "${name}" of agent ${this.id}`,
      timeoutMs: 20_000,
    })
  }

  /** Until none of its processes is left, or none that runs this program. */
  async waitForNone(program?: string): Promise<void> {
    await waitFor(() => (program ? this.processesOf(program) : this.processes()).length === 0, {
      what: `the end of every ${program ?? 'process'} of agent ${this.id}`,
    })
  }

  async touchFile(name: string): Promise<void> {
    await writeFile(join(this.workDir, name), '')
  }

  readFile(name: string): Promise<string> {
    return readFile(join(this.workDir, name), 'utf8')
  }

  async close(): Promise<void> {
    await this.#program?.close()
    await this.#sandbox.dispose()
  }

  #completeSetup(overrides: Partial<ProgramSetup>): ProgramSetup {
    return {
      model: this.#stage.subject.model,
      effort: '',
      tier: '',
      fastMode: false,
      instructions: '',
      outputSchema: undefined,
      session: undefined,
      workDir: this.workDir,
      stateDir: this.stateDir,
      gateway: { url: this.#stage.gatewayUrl, token: this.gatewayToken },
      tools: [{ name: 'skein', url: this.#stage.toolsUrl, token: this.toolsToken }],
      sandbox: this.#sandbox,
      variables: {},
      hideSecrets: new Redactor([this.gatewayToken, this.toolsToken]).redact,
      ...this.#setup,
      ...overrides,
    }
  }
}
