import { setTimeout as pause } from 'node:timers/promises'
import { listProcesses, readProcess, readProcessFile, type ProcessEntry } from './process-table.ts'

/** A text that all processes of a program carry, in their environment or command line. */
export interface ProcessMark {
  readonly file: 'environ' | 'cmdline'
  readonly text: string
}

/**
 * A program and everything it started: processes that carry its mark, are in its group or session, or descend from
 * either. An exiting process has already lost all of these, so processes seen once are remembered.
 */
export class ProcessTree {
  readonly #mark: ProcessMark
  readonly #root: number
  /** Start time by process id. */
  readonly #known = new Map<number, string>()

  constructor(mark: ProcessMark, root: number) {
    this.#mark = mark
    this.#root = root
  }

  include(pid: number): void {
    const entry = readProcess(pid)
    if (entry !== undefined && isOther(entry)) this.#known.set(pid, entry.startedAt)
  }

  /** One pass: `end` handles what is forked in the meantime. Returns the number of processes found. */
  kill(): number {
    // Listed first: an orphan no longer shows whose child it was.
    const pids = this.list()
    // Forking cannot outrun a signal to the group.
    sendKill(-this.#root)
    for (const pid of pids) sendKill(pid)
    return pids.length
  }

  /** Resolves when no process of the tree is left. */
  async end(): Promise<void> {
    for (let pauseMs = 1; this.kill() > 0; pauseMs = Math.min(pauseMs * 2, 100)) await pause(pauseMs)
  }

  /** Empty on a system without /proc, where only the group can be ended. */
  list(): number[] {
    const processes = listProcesses().filter(isOther)
    const tree = new Set(processes.filter((entry) => this.#isMember(entry)).map(({ pid }) => pid))
    let sizeBefore = -1
    while (tree.size > sizeBefore) {
      sizeBefore = tree.size
      for (const { pid, parent } of processes) if (tree.has(parent)) tree.add(pid)
    }
    for (const { pid, startedAt } of processes) if (tree.has(pid)) this.#known.set(pid, startedAt)
    return [...tree]
  }

  #isMember({ pid, group, session, startedAt }: ProcessEntry): boolean {
    return (
      this.#known.get(pid) === startedAt ||
      [pid, group, session].includes(this.#root) ||
      readProcessFile(pid, this.#mark.file).includes(this.#mark.text)
    )
  }
}

/** Never this process, even if it carries the mark. */
function isOther({ pid, isZombie }: ProcessEntry): boolean {
  return pid !== process.pid && !isZombie
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
