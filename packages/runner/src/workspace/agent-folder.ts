import { randomUUID } from 'node:crypto'
import { mkdir, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { tryLock, type HeldLock } from '@skein/host'
import { removeTree } from './remove-tree.ts'
import { emptyRecord, readRecord, writeRecord, type WorkspaceRecord } from './workspace-record.ts'

const POLL_MS = 50

/**
 * The folder of one agent on this host: `work` and `state` are the agent's, what lies beside them is ours and out
 * of its reach. Whoever holds one of these has the agent's folder for itself, on the whole host.
 */
export class AgentFolder {
  readonly dir: string
  readonly #root: string
  readonly #lock: HeldLock
  #record: WorkspaceRecord
  #writing: Promise<void> = Promise.resolve()

  private constructor(root: string, dir: string, lock: HeldLock, record: WorkspaceRecord) {
    this.#root = root
    this.dir = dir
    this.#lock = lock
    this.#record = record
  }

  /** Undefined when another run has it, for longer than `timeoutMs`. */
  static async take(root: string, name: string, timeoutMs: number): Promise<AgentFolder | undefined> {
    const dir = join(root, name)
    const giveUpAt = performance.now() + timeoutMs
    for (;;) {
      // It may be removed at this very moment: then the next round makes it.
      await mkdir(dir, { recursive: true }).catch(ignoreMissing)
      const lock = await lockFolder(dir)
      if (lock) {
        const folder = new AgentFolder(root, dir, lock, (await readRecord(recordPath(dir))) ?? emptyRecord())
        await folder.markUsed()
        return folder
      }
      if (performance.now() > giveUpAt) return undefined
      await pause(POLL_MS)
    }
  }

  /** As `take`, but only if it is there and free right now. */
  static async takeExisting(root: string, name: string): Promise<AgentFolder | undefined> {
    const dir = join(root, name)
    const lock = await lockFolder(dir)
    return lock && new AgentFolder(root, dir, lock, (await readRecord(recordPath(dir))) ?? emptyRecord())
  }

  get workRoot(): string {
    return join(this.dir, 'work')
  }

  get stateDir(): string {
    return join(this.dir, 'state')
  }

  get record(): WorkspaceRecord {
    return this.#record
  }

  async changeRecord(change: (record: WorkspaceRecord) => WorkspaceRecord): Promise<void> {
    this.#record = change(this.#record)
    this.#writing = this.#writing.then(() => writeRecord(recordPath(this.dir), this.#record))
    await this.#writing
  }

  async markUsed(now = new Date()): Promise<void> {
    const path = usedPath(this.dir)
    await writeFile(path, '', { flag: 'a' })
    await utimes(path, now, now)
  }

  release(): void {
    this.#lock.release()
  }

  /** Makes `work` and `state` as new: nothing that the agent has written is left in them. */
  async clear(): Promise<void> {
    // Forgotten first: a runner that dies in between must not take the empty folders for the agent's.
    await this.changeRecord(() => emptyRecord())
    for (const dir of [this.workRoot, this.stateDir]) {
      const trash = this.#nameTrash()
      await rename(dir, trash).catch(ignoreMissing)
      await mkdir(dir, { recursive: true })
      await removeTree(trash)
    }
  }

  /** Takes it out of the way first: whoever comes next starts anew, however long the removal takes. */
  async remove(): Promise<void> {
    const trash = this.#nameTrash()
    await rename(this.dir, trash)
    this.release()
    await removeTree(trash)
  }

  #nameTrash(): string {
    return join(this.#root, `.trash-${randomUUID()}`)
  }
}

export async function lastUsedMs(dir: string): Promise<number> {
  return (await stat(usedPath(dir)).catch(() => undefined))?.mtimeMs ?? 0
}

async function lockFolder(dir: string): Promise<HeldLock | undefined> {
  const before = await identify(dir)
  if (before === undefined) return undefined
  let lock: HeldLock | undefined
  try {
    lock = tryLock(join(dir, 'lock'))
  } catch (error) {
    if ((await identify(dir)) === before) throw error
  }
  // The folder may have been removed, and made again, since it was looked up: then this is the lock of nothing.
  if (lock && (await identify(dir)) !== before) {
    lock.release()
    return undefined
  }
  return lock
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

async function identify(dir: string): Promise<string | undefined> {
  const found = await stat(dir, { bigint: true }).catch(() => undefined)
  return found && `${found.ino} ${found.birthtimeNs}`
}

function recordPath(dir: string): string {
  return join(dir, 'workspace.json')
}

function usedPath(dir: string): string {
  return join(dir, 'last-used')
}
