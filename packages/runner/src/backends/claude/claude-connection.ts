import { randomUUID, type UUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Query, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import type { Command, SandboxProcess } from '../../sandbox/sandbox.ts'
import type { ProgramSetup, TurnError } from '../backend.ts'
import { awaitDrainedEnd, errorOfEnd } from '../turn/drain.ts'
import { EventQueue } from '../turn/event-queue.ts'
import { StderrTail } from '../turn/stderr-tail.ts'
import type { OpenSession } from '../turn/turn-course.ts'
import type { ClaudeInstallation } from './installation.ts'
import { buildOptions } from './program-options.ts'
import { SandboxedProcess, toCommand } from './sandboxed-process.ts'

const PENDING_PAUSE_MS = 50

interface ToolStatus {
  readonly name: string
  readonly status: string
}

/** A running program, and the SDK's conversation with it. */
export class ClaudeConnection implements OpenSession {
  /** Known once the program has read the first prompt. */
  readonly session = undefined
  readonly model: string
  readonly #setup: ProgramSetup
  readonly #input = new EventQueue<SDKUserMessage>()
  readonly #query: Query
  readonly #reading: Promise<string>
  readonly #spawned = Promise.withResolvers<SandboxProcess | undefined>()
  #process: SandboxProcess | undefined
  #stderr: StderrTail | undefined
  #isKilled = false
  /** Why it ended. Resolves once all its output was read and nothing of it is left. */
  readonly ended: Promise<TurnError>

  constructor(
    { query, program }: ClaudeInstallation,
    setup: ProgramSetup,
    onMessage: (message: SDKMessage) => Promise<void>,
  ) {
    this.#setup = setup
    this.model = setup.model
    this.#query = query({
      prompt: this.#input,
      options: {
        ...buildOptions(setup, program),
        spawnClaudeCodeProcess: (options) => this.#spawn(toCommand(options, setup.workDir)),
      },
    })
    this.#reading = this.#read(onMessage)
    this.ended = this.#awaitEnd()
  }

  /** Resolves when the program is ready for a prompt, or with what is missing. */
  async getReady(): Promise<TurnError | undefined> {
    const { tools } = this.#setup
    // Asked together with the initialization: the program answers both when it is ready, usually with its tools.
    const early = tools.length > 0 ? this.#query.mcpServerStatus().catch(() => []) : []
    await this.#query.initializationResult()
    if (!this.checkTools(await early)) return undefined
    // Checked before the first prompt: without our tools a run would continue and cost money.
    for (;;) {
      const servers = await this.#query.mcpServerStatus()
      // The program itself waits only a few seconds, which isn't enough on a busy host.
      if (!this.#ours(servers).some(({ status }) => status === 'pending')) return this.checkTools(servers)
      await pause(PENDING_PAUSE_MS)
    }
  }

  /** What is wrong with our tools, as seen by the program. */
  checkTools(servers: readonly ToolStatus[]): TurnError | undefined {
    const connected = this.#ours(servers).filter(({ status }) => status === 'connected')
    const missing = this.#setup.tools.find((tools) => !connected.some(({ name }) => name === tools.name))
    if (!missing) return undefined
    return { kind: 'tools-unavailable', message: `The tools of "${missing.name}" could not be reached` }
  }

  #ours(servers: readonly ToolStatus[]): readonly ToolStatus[] {
    return servers.filter(({ name }) => this.#setup.tools.some((tools) => tools.name === name))
  }

  /** Returns the id the program uses to report that it has read the message. */
  send(text: string): UUID {
    const uuid = randomUUID()
    const message = { role: 'user', content: text } as const
    this.#input.push({ type: 'user', message, parent_tool_use_id: null, uuid })
    return uuid
  }

  /** Only asks. A program that doesn't respond must be killed. */
  interrupt(): void {
    this.#query.interrupt().catch(() => undefined)
  }

  kill(): void {
    this.#isKilled = true
    this.#process?.kill()
    this.#input.end()
    this.#query.close()
    this.#spawned.resolve(undefined)
  }

  #spawn(command: Command): SandboxedProcess {
    if (this.#isKilled) throw new Error('The program was closed before it was started')
    const child = this.#setup.sandbox.spawn(command)
    this.#process = child
    this.#stderr = new StderrTail(child.stderr)
    this.#spawned.resolve(child)
    return new SandboxedProcess(child)
  }

  /** The error the SDK ended with; empty if there was none. */
  async #read(onMessage: (message: SDKMessage) => Promise<void>): Promise<string> {
    try {
      for await (const message of this.#query) await onMessage(message)
      return ''
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  async #awaitEnd(): Promise<TurnError> {
    // The SDK may fail before it starts anything.
    void this.#reading.then(() => this.#spawned.resolve(undefined))
    const child = await this.#spawned.promise
    if (!child) return { kind: 'crash', message: `Claude was not started. ${await this.#reading}` }
    const end = await child.ended
    if (!this.#isKilled) {
      await awaitDrainedEnd(child)
      await this.#reading
    }
    this.kill()
    // The SDK has stopped reading. With unread data, the pipe would stay open.
    child.stdout.destroy()
    return errorOfEnd('Claude', end, this.#stderr)
  }
}
