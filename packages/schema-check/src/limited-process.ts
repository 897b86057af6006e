import { fork, type ChildProcess, type Serializable } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Answer } from './answer-jobs.ts'

export interface JobLimits {
  /** CPU time of one job: the same on a busy machine as on an idle one. */
  readonly cpuMs: number
  /** Maximum duration of a job on a machine without spare CPU time. */
  readonly wallMs: number
  readonly heapMib: number
}

export type JobOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** The job exceeds its time or memory, and would do so again. */
  | { readonly kind: 'exceeded' }
  /** The machine was too busy, or the process was closed. A retry may succeed. */
  | { readonly kind: 'late' }

const MAX_START_ERROR = 4_096

/**
 * Runs jobs in another process, one by one. A job that exceeds its limits ends that process; the next one starts
 * another. A thread would not do: when one runs out of memory, V8 sometimes aborts the whole process.
 */
export class LimitedProcess<Job extends Serializable, Result> {
  readonly #entry: string
  readonly #limits: JobLimits
  #child: Promise<ChildProcess> | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** The entry is a module next to the one with the given `import.meta.url`. It calls `answerJobs`. */
  constructor(besideUrl: string, entry: string, limits: JobLimits) {
    this.#entry = fileURLToPath(new URL(`./${entry}.${besideUrl.endsWith('.ts') ? 'ts' : 'js'}`, besideUrl))
    this.#limits = limits
  }

  run(job: Job): Promise<JobOutcome<Result>> {
    const outcome = this.#last.then(() => this.#run(job))
    this.#last = outcome.catch(() => undefined)
    return outcome
  }

  async close(): Promise<void> {
    const child = await this.#child?.catch(() => undefined)
    if (child) await end(child)
  }

  async #run(job: Job): Promise<JobOutcome<Result>> {
    const child = await this.#ready()
    const settled = new AbortController()
    const { signal } = settled
    // Only an open job keeps our process from ending.
    child.ref()
    try {
      const outcome = await Promise.race([
        answerOf<Result>(child, job),
        // Killed by its own watch, by V8 or by the kernel, unless we did it.
        once(child, 'exit', { signal }).then(() => ({ kind: child.killed ? 'late' : 'exceeded' }) as const),
        pause(this.#limits.wallMs, { kind: 'late' } as const, { signal, ref: false }),
      ])
      if (outcome.kind !== 'done') await end(child)
      return outcome
    } finally {
      settled.abort()
      child.unref()
    }
  }

  #ready(): Promise<ChildProcess> {
    this.#child ??= start(this.#entry, this.#limits).then((child) => {
      child.once('exit', () => (this.#child = undefined))
      return child
    })
    this.#child.catch(() => (this.#child = undefined))
    return this.#child
  }
}

/** A process that has ended never answers. Its end is handled elsewhere. */
function answerOf<Result>(child: ChildProcess, job: Serializable): Promise<JobOutcome<Result>> {
  const { promise, resolve, reject } = Promise.withResolvers<JobOutcome<Result>>()
  child.once('message', (answer: Answer<Result>) => {
    if (answer.kind === 'done') resolve(answer)
    else reject(new Error(answer.message))
  })
  child.send(job, () => undefined)
  return promise
}

async function start(entry: string, { cpuMs, heapMib }: JobLimits): Promise<ChildProcess> {
  const child = fork(entry, [`${cpuMs}`], {
    execArgv: [`--max-old-space-size=${heapMib}`],
    // The process needs neither settings nor keys.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr?.on('data', (text: Buffer) => (errors = (errors + text.toString()).slice(0, MAX_START_ERROR)))
  const exited = once(child, 'exit').then(() => 'exited' as const)
  const first = await Promise.race([once(child, 'message').then(() => 'ready' as const), exited])
  if (first === 'exited') throw new Error(`${entry} did not start: ${errors}`)
  // What V8 prints when it ends the process is of no use.
  child.unref()
  child.channel?.unref()
  child.stderr?.destroy()
  child.on('error', () => undefined)
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
