import { EventEmitter } from 'node:events'
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk'
import type { Command, SandboxProcess } from '../../sandbox/sandbox.ts'

/** Adapts a sandbox process to the SDK's interface. */
export class SandboxedProcess extends EventEmitter implements SpawnedProcess {
  readonly #process: SandboxProcess
  #isKilled = false
  #exitCode: number | null = null
  #signalCode: NodeJS.Signals | null = null

  constructor(process: SandboxProcess) {
    super()
    this.#process = process
    void process.ended.then(({ code, signal }) => {
      this.#exitCode = code
      this.#signalCode = signal
      this.emit('exit', code, signal)
    })
  }

  get stdin(): SandboxProcess['stdin'] {
    return this.#process.stdin
  }

  get stdout(): SandboxProcess['stdout'] {
    return this.#process.stdout
  }

  get killed(): boolean {
    return this.#isKilled
  }

  get exitCode(): number | null {
    return this.#exitCode
  }

  get signalCode(): NodeJS.Signals | null {
    return this.#signalCode
  }

  kill(): boolean {
    this.#isKilled = true
    this.#process.kill()
    return true
  }
}

export function toCommand({ command, args, env }: SpawnOptions, workDir: string): Command {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return { program: command, args, env: Object.fromEntries(variables), workDir }
}
