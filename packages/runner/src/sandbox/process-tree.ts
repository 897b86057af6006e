import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

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
  /** Process ids come again, but not with the same time of start. */
  readonly #known = new Map<number, string>()

  constructor(mark: ProcessMark, root: number) {
    this.#mark = mark
    this.#root = root
  }

  include(pid: number): void {
    for (const { startedAt } of readEntry(pid)) this.#known.set(pid, startedAt)
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

  list(): number[] {
    const processes = listProcesses()
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
      readProc(pid, this.#mark.file).includes(this.#mark.text)
    )
  }
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly startedAt: string
}

/** Empty on a system without /proc: there the group is all that can be ended. */
function listProcesses(): ProcessEntry[] {
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return []
  }
  return names.filter((name) => /^\d+$/.test(name)).flatMap((name) => readEntry(Number(name)))
}

function readEntry(pid: number): ProcessEntry[] {
  if (pid === process.pid) return []
  // "pid (name) state parent group session …", where the name itself may contain blanks and parentheses.
  const stat = readProc(pid, 'stat')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent, group, session] = fields
  // A zombie is dead: who has to collect it may never do so.
  if (state === '' || 'ZX'.includes(state)) return []
  // The 22nd field of all.
  const startedAt = fields[19] ?? ''
  return [{ pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt }]
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
