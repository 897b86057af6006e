import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { ProcessTree, type ProcessMark } from '@skein/host'
import type { Cgroup } from './limits/cgroup.ts'
import { listInheritedDescriptors } from './inherited-descriptors.ts'
import type { ProcessEnd, SandboxProcess } from './sandbox.ts'

export interface Launch {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workDir: string
  /** What the program reads from descriptors 3, 4 and so on. */
  readonly inputs: readonly string[]
  /** Whether it reports its "child-pid" on the following descriptor: all other processes end with that one. */
  readonly tellsChild: boolean
}

/** A started program with its process tree, which ends when the program does. */
export class Program implements SandboxProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly ended: Promise<ProcessEnd>
  /** Resolves when its output was read to the end as well. */
  readonly closed: Promise<void>
  readonly #child: ChildProcess
  readonly #tree: ProcessTree | undefined
  #isKilled = false

  constructor(launch: Launch, mark: ProcessMark, cgroup: Cgroup) {
    const child = startChild(launch)
    const { stdin, stdout, stderr, pid } = child
    this.#child = child
    this.#tree = pid === undefined ? undefined : new ProcessTree(mark, pid)
    this.ended = this.#awaitEnd(launch.tellsChild ? child.stdio[3 + launch.inputs.length] : undefined)
    this.closed = new Promise((resolve) => {
      child.once('close', () => resolve())
    })
    if (!stdin || !stdout || !stderr) throw new Error('No file descriptors are left to start a program')
    this.stdin = stdin
    this.stdout = stdout
    this.stderr = stderr
    // Writers learn from `ended` that the program has exited.
    stdin.on('error', () => undefined)
    // Until its inputs arrive, bubblewrap starts nothing that could stay outside the group.
    if (pid !== undefined && !cgroup.admit(pid)) {
      this.kill()
      this.dropUnread()
      throw new Error('The limits could not be applied to the program')
    }
    sendInputs(child, launch.inputs)
  }

  kill(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#isKilled = true
    this.#tree?.kill()
  }

  listProcesses(): readonly number[] {
    return this.#tree?.list() ?? []
  }

  /** Output nobody reads would keep its pipe open forever. */
  dropUnread(): void {
    for (const stream of [this.stdout, this.stderr]) if (stream.readableFlowing === null) stream.resume()
  }

  async #awaitEnd(report: unknown): Promise<ProcessEnd> {
    const isChildKnown = readChildPid(report).then((pid) => this.#tree?.include(pid))
    const { code, signal } = await awaitExit(this.#child)
    await isChildKnown
    // What it left running in the background ends with it, at every level.
    await this.#tree?.end()
    // Bubblewrap's exit code if the program inside was killed.
    return this.#isKilled && code === 137 ? { code: null, signal: 'SIGKILL' } : { code, signal }
  }
}

/** Stands in for a program that could not even be started. */
export function failedProcess(reason: string): SandboxProcess {
  return {
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: Readable.from([]),
    stderr: Readable.from([Buffer.from(`${reason}\n`)]),
    ended: Promise.resolve({ code: 127, signal: null }),
    kill: () => undefined,
  }
}

function startChild({ program, args, env, workDir, inputs, tellsChild }: Launch): ChildProcess {
  const channels = [...inputs, ...(tellsChild ? [''] : [])].map(() => 'pipe' as const)
  const stdio: Exclude<StdioOptions, string> = ['pipe', 'pipe', 'pipe', ...channels]
  const nothing = openSync('/dev/null', 'r+')
  try {
    for (const fd of listInheritedDescriptors()) {
      while (stdio.length <= fd) stdio.push('ignore')
      if (stdio[fd] === 'ignore') stdio[fd] = nothing
    }
    return spawn(program, args, { env, cwd: workDir, stdio, detached: true })
  } finally {
    closeSync(nothing)
  }
}

function sendInputs(child: ChildProcess, inputs: readonly string[]): void {
  for (const [index, input] of inputs.entries()) {
    const stream = child.stdio[3 + index]
    if (!(stream instanceof Socket)) continue
    stream.on('error', () => undefined)
    stream.resume()
    stream.end(input)
  }
}

/** 0 if it never reports one: then it has started nothing. */
async function readChildPid(report: unknown): Promise<number> {
  if (!(report instanceof Socket)) return 0
  report.on('error', () => undefined)
  let text = ''
  try {
    for await (const chunk of report) text += String(chunk)
  } catch {
    // Nothing more will arrive.
  }
  return Number(/"child-pid":\s*(\d+)/.exec(text)?.[1] ?? 0)
}

function awaitExit(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ code: 127, signal: null }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}
