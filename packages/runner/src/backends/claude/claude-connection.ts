import { randomUUID, type UUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Query, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import type { Command, ProcessEnd, SandboxProcess } from '../../sandbox/sandbox.ts'
import type { ProgramSetup, TurnError } from '../backend.ts'
import { awaitDrainedEnd, describeEnd } from '../turn/drain.ts'
import { EventQueue } from '../turn/event-queue.ts'
import { StderrTail } from '../turn/stderr-tail.ts'
import type { ClaudeInstallation } from './installation.ts'
import { buildOptions } from './program-options.ts'
import { SandboxedProcess, toCommand } from './sandboxed-process.ts'

const PENDING_PAUSE_MS = 50

interface ToolStatus {
  readonly name: string
  readonly status: string
}

/** A running program, and the SDK's conversation with it. */
export class ClaudeConnection {
  readonly #setup: ProgramSetup
  readonly #input = new EventQueue<SDKUserMessage>()
  readonly #query: Query
  readonly #reading: Promise<string>
  readonly #spawned = Promise.withResolvers<SandboxProcess | undefined>()
  #process: SandboxProcess | undefined
  #stderr: StderrTail | undefined
  #isKilled = false
  /** Why it ended; after all that it has said was read, and when nothing of it is left. */
  readonly ended: Promise<TurnError>

  constructor(
    { query, program }: ClaudeInstallation,
    setup: ProgramSetup,
    onMessage: (message: SDKMessage) => Promise<void>,
  ) {
    this.#setup = setup
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

  /** Resolves when the program can take a prompt, with what is missing if it must not get one. */
  async getReady(): Promise<TurnError | undefined> {
    await this.#query.initializationResult()
    if (this.#setup.tools.length === 0) return undefined
    // Asked before the first prompt: a run without our tools would go on, and cost money.
    for (;;) {
      const servers = await this.#query.mcpServerStatus()
      // The program itself waits for a few seconds only, which are not enough on a busy host.
      if (!this.#ours(servers).some(({ status }) => status === 'pending')) return this.checkTools(servers)
      await pause(PENDING_PAUSE_MS)
    }
  }

  /** What is wrong with the tools of ours, as the program sees them. */
  checkTools(servers: readonly ToolStatus[]): TurnError | undefined {
    const connected = this.#ours(servers).filter(({ status }) => status === 'connected')
    const missing = this.#setup.tools.find((tools) => !connected.some(({ name }) => name === tools.name))
    if (!missing) return undefined
    return { kind: 'tools-unavailable', message: `The tools of "${missing.name}" could not be reached` }
  }

  #ours(servers: readonly ToolStatus[]): readonly ToolStatus[] {
    return servers.filter(({ name }) => this.#setup.tools.some((tools) => tools.name === name))
  }

  /** Returns the id under which the program reports that it has read it. */
  send(text: string): UUID {
    const uuid = randomUUID()
    const message = { role: 'user', content: text } as const
    this.#input.push({ type: 'user', message, parent_tool_use_id: null, uuid })
    return uuid
  }

  /** Asks; a program that does not answer has to be killed. */
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

  /** The problem that the SDK ended with; empty when it had none. */
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
    // The SDK has stopped reading; with something left in it, the pipe would stay open.
    child.stdout.destroy()
    return this.#describe(end)
  }

  #describe(end: ProcessEnd): TurnError {
    const message = `Claude ended ${describeEnd(end)}. ${this.#stderr?.lastLines() ?? ''}`.trim()
    return { kind: end.code === 127 ? 'program-missing' : 'crash', message }
  }
}
