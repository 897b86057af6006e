import type { SimulatorStep } from '@skein/simulator'
import type { Backend, ProgramSetup } from '../../../src/backends/backend.ts'
import type { SandboxLevel } from '../../../src/sandbox/sandbox.ts'

/** A backend to be held to the guarantees that the runner builds on. */
export interface ConformanceSubject {
  readonly name: string
  openBackend(options?: { readonly programPath?: string }): Backend
  readonly model: string
  readonly dialect: Dialect
  /** The first has every case; the others those whose outcome depends on the sandbox. */
  readonly sandboxLevels: readonly SandboxLevel[]
}

/** In what a backend differs from the others, as far as the suite has to know. */
export interface Dialect {
  /** Follows the gateway's address in `setup.gateway.url`: empty, or `/v1`. */
  readonly gatewayPath: string
  /** The program's file name, to find its process among all others. */
  readonly programName: string
  /** How the provider refuses a conversation that is too long. */
  readonly contextLength: SimulatorStep
  /** What each setting looks like in a request to the model. */
  readonly wire: readonly WireCase[]
  /** Files of a repository that try to run the command, and to send the model's requests to the address. */
  hostileFiles(command: string, url: string): Readonly<Record<string, string>>
  /** Names of cases that the backend cannot pass by its nature; the test file says why. */
  readonly exceptions?: readonly string[]
}

export interface WireCase {
  /** Completes the sentence "A request to the model shows …". */
  readonly name: string
  readonly setup: Partial<ProgramSetup>
  /** Throws when the body of the request does not show the setting. */
  check(body: unknown): void
}
