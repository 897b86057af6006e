import { setTimeout as pause } from 'node:timers/promises'
import { listProcesses, readProcess, readProcessFile, type ProcessEntry } from './process-table.ts'

/** A text that every process of one program carries, and where: in its environment, or in its command line. */
export interface ProcessMark {
  readonly file: 'environ' | 'cmdline'
  readonly text: string
}

/**
 * A program with everything that it started: what carries its mark, is in its group or session, or descends from
 * either. A process that is ending has lost all of that already, so the ones that were seen once stay known.
 */
export class ProcessTree {
  readonly #mark: ProcessMark
  readonly #root: number
  /** The time of start by process id. */
  readonly #known = new Map<number, string>()

  constructor(mark: ProcessMark, root: number) {
    this.#mark = mark
    this.#root = root
  }

  include(pid: number): void {
    const entry = readProcess(pid)
    if (entry !== undefined && isOther(entry)) this.#known.set(pid, entry.startedAt)
  }

  /** One pass: what is forked meanwhile is left to `end`. How many processes there were. */
  kill(): number {
    // Listed first: an orphan no longer tells whose child it was.
    const pids = this.list()
    // A signal to a group cannot be outrun by forking.
    sendKill(-this.#root)
    for (const pid of pids) sendKill(pid)
    return pids.length
  }

  /** Resolves when no process of the tree is left. */
  async end(): Promise<void> {
    for (let pauseMs = 1; this.kill() > 0; pauseMs = Math.min(pauseMs * 2, 100)) await pause(pauseMs)
  }

  /** Empty on a system without /proc: there the group is all that can be ended. */
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

/** Never this process itself, even if it carries the mark. */
function isOther({ pid, isZombie }: ProcessEntry): boolean {
  return pid !== process.pid && !isZombie
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
