import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, onTestFinished } from 'vitest'
import { collectOutput, type CollectedOutput, type CollectOptions } from '../../src/sandbox/collect-output.ts'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'
import type {
  Command,
  Sandbox,
  SandboxLevel,
  SandboxProcess,
  SandboxSpec,
} from '../../src/sandbox/sandbox.ts'
import { removeTree } from '../../src/workspace/remove-tree.ts'
import { unlimited } from '../limits.ts'

/** Unlikely to be in use on the host, and never opened there: only in the networks of sandboxes. */
export const frontPort = 18_931

export interface TestSandbox {
  readonly sandbox: Sandbox
  /** Holds the work and state directories, and whatever a test wants to keep from the agent. */
  readonly base: string
  spawn(program: string, ...args: string[]): SandboxProcess
  /** Runs a script to its end. */
  run(script: string, options?: Partial<Command & CollectOptions>): Promise<CollectedOutput>
}

/** Disposed of and deleted after the test. */
export async function openSandbox(
  level: SandboxLevel,
  overrides: Partial<SandboxSpec> = {},
  answer: RequestListener = (_request, response) => response.end('the front'),
): Promise<TestSandbox> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'skein-sandbox-')))
  const workDir = join(base, 'work')
  await mkdir(workDir)
  const sandbox = await findSandboxProvider(level).create({
    id: `test-${randomBytes(4).toString('hex')}`,
    workDir,
    stateDir: join(base, 'state'),
    readOnlyPaths: [],
    network: 'open',
    front: { port: frontPort, serve: (listener) => serveFront(listener, answer) },
    limits: { ...unlimited, fileSizeMib: 8 },
    ...overrides,
  })
  onTestFinished(async () => {
    await sandbox.dispose()
    await removeTree(base)
  })
  const run: TestSandbox['run'] = (script, options = {}) =>
    collectOutput(sandbox.spawn({ program: 'sh', args: ['-c', script], env: {}, workDir, ...options }), {
      maxBytes: 1_000_000,
      timeoutMs: 20_000,
      ...options,
    })
  const spawn: TestSandbox['spawn'] = (program, ...args) => sandbox.spawn({ program, args, env: {}, workDir })
  return { sandbox, base, spawn, run }
}

function serveFront(listener: Server, answer: RequestListener): void {
  const server = createServer(answer).listen(listener)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
}

/** On Linux a missing bubblewrap is a failure: a wall that is not tested does not stand. */
export function requireBubblewrap(): void {
  beforeAll(async () => {
    const probe = await findSandboxProvider('bubblewrap').probe()
    if (!probe.isUsable) throw new Error(`These tests need bubblewrap: ${probe.reason}`)
  })
}

/** Command lines of the host's processes that contain the text. */
export function findProcesses(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((name) => readProc(name, 'cmdline'))
    .filter((commandLine) => commandLine.includes(text))
}

export function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** A time to sleep that no other process sleeps, so that the sleeper can be found. */
export function uniqueSeconds(): string {
  return `3${randomBytes(6).readUIntBE(0, 6)}`
}
