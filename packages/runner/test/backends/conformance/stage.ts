import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulator, type Simulator } from '@skein/simulator'
import { stopOutputChecks } from '../../../src/backends/turn/output-check.ts'
import { Front } from '../../../src/front/front.ts'
import { findSandboxProvider } from '../../../src/sandbox/providers.ts'
import type { FrontAddress, SandboxLevel, SandboxProvider } from '../../../src/sandbox/sandbox.ts'
import { openToAll } from '../../front/open-to-all.ts'
import { forwardTo } from './forward.ts'
import type { ConformanceSubject } from './subject.ts'
import { ToolServer } from './tool-server.ts'

/** What all cases of one backend in one kind of sandbox share: the model, the tools, and the front before them. */
export class Stage {
  readonly subject: ConformanceSubject
  readonly provider: SandboxProvider
  readonly simulator: Simulator
  readonly tools: ToolServer
  readonly front: FrontAddress
  readonly root: string
  /** Tokens for the model that some agent has. */
  readonly gatewayTokens = new Set<string>()
  /** From the start of a turn to its first request, in ms. */
  readonly firstRequests = { cold: new Array<number>(), warm: new Array<number>() }
  readonly #closeFront: () => Promise<void>

  static async open(subject: ConformanceSubject, level: SandboxLevel): Promise<Stage> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'skein-conformance-')))
    const simulator = await startSimulator()
    const tools = new ToolServer()
    const front = new Front({ model: openToAll(forwardTo(simulator.url)), tools: openToAll(tools.answer) })
    const address = await front.listen()
    const provider = findSandboxProvider(level)
    return new Stage({ subject, provider, simulator, tools, front: address, root }, () => front.close())
  }

  private constructor(
    parts: Pick<Stage, 'subject' | 'provider' | 'simulator' | 'tools' | 'front' | 'root'>,
    closeFront: () => Promise<void>,
  ) {
    this.subject = parts.subject
    this.provider = parts.provider
    this.simulator = parts.simulator
    this.tools = parts.tools
    this.front = parts.front
    this.root = parts.root
    this.#closeFront = closeFront
  }

  /** Where agents find the tools. */
  get toolsUrl(): string {
    return `http://127.0.0.1:${this.front.port}/tools`
  }

  /** As the backend wants it in `setup.gateway.url`. */
  get gatewayUrl(): string {
    return `http://127.0.0.1:${this.front.port}/model${this.subject.dialect.gatewayPath}`
  }

  describeTimings(): string {
    const { cold, warm } = this.firstRequests
    return `first request ${describe('cold', cold)}, ${describe('warm', warm)}`
  }

  async close(): Promise<void> {
    await this.#closeFront()
    await stopOutputChecks()
    await this.simulator.close()
    await rm(this.root, { recursive: true, force: true })
  }
}

function describe(name: string, times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN)} ms`
  return `${name} p50 ${at(0.5)}, max ${at(1)} (${sorted.length} turns)`
}
