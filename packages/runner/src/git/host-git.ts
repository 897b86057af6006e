import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import type { Cgroup } from '../sandbox/limits/cgroup.ts'
import { findSystemProgram } from '../sandbox/environment.ts'

/** Limits of one git process outside the sandboxes. */
export interface GitLimits {
  /** For its data. Memory mapped from packs can be reclaimed and doesn't count. */
  readonly memoryMib: number
  readonly cpuSeconds: number
}

const GIT_LIMITS: GitLimits = { memoryMib: 1024, cpuSeconds: 600 }

export interface GitStart {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdio: StdioOptions
}

export interface GitProcess {
  readonly child: ChildProcess
  /** Ends it with everything it started. */
  readonly kill: () => void
}

/**
 * Starts git outside the sandboxes. Agents and upstreams choose its input, and a pack of a few kilobytes can expand
 * to gigabytes. So each process has limits, and fails instead of the runner.
 */
export class HostGit {
  readonly #limitCommand: readonly string[]
  readonly #cgroup: Pick<Cgroup, 'admit'> | undefined
  readonly #running = new Set<GitProcess>()

  constructor(limits: Partial<GitLimits> = {}, cgroup?: Pick<Cgroup, 'admit'>) {
    this.#limitCommand = limitCommand({ ...GIT_LIMITS, ...limits })
    this.#cgroup = cgroup
  }

  start({ args, env, stdio }: GitStart): GitProcess {
    const [program = 'git', ...rest] = [...this.#limitCommand, 'git', ...args]
    // A separate process group, so that git's helpers end with it.
    const child = spawn(program, rest, { env, stdio, detached: true })
    if (child.pid !== undefined) this.#cgroup?.admit(child.pid)
    const kill = (): void => {
      // After it has exited, its pid may belong to another process.
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        killGroup(child.pid)
    }
    const started: GitProcess = { child, kill }
    this.#running.add(started)
    child.once('error', () => this.#running.delete(started))
    child.once('exit', () => {
      this.#running.delete(started)
      // Nothing it started may outlive it or keep its output open.
      if (child.pid !== undefined) killGroup(child.pid)
    })
    return started
  }

  /** Ends everything still running, and waits until it is gone. */
  async close(): Promise<void> {
    const all = [...this.#running]
    const gone = all.map(({ child }) => once(child, 'exit').catch(() => undefined))
    for (const { kill } of all) kill()
    await Promise.all(gone)
  }
}

/** Without prlimit, as on a developer's Mac, there are no limits. */
function limitCommand({ memoryMib, cpuSeconds }: GitLimits): readonly string[] {
  const prlimit = findSystemProgram('prlimit')
  if (prlimit === undefined) return []
  return [prlimit, '--core=0', `--data=${memoryMib * 1024 * 1024}`, `--cpu=${cpuSeconds}`, '--']
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
