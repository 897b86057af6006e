import { randomUUID } from 'node:crypto'
import { mkdir, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { tryLock, type HeldLock } from '@skein/host'
import { removeTree } from './remove-tree.ts'
import { emptyRecord, readRecord, writeRecord, type WorkspaceRecord } from './workspace-record.ts'

const POLL_MS = 50

/**
 * One agent's folder on this host: `work` and `state` are the agent's; everything next to them is ours and out of
 * its reach. The holder has exclusive access to the folder on the whole host.
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

  /** Undefined if another run holds it for longer than `timeoutMs`. */
  static async take(root: string, name: string, timeoutMs: number): Promise<AgentFolder | undefined> {
    const dir = join(root, name)
    const giveUpAt = performance.now() + timeoutMs
    for (;;) {
      // It may just be being removed: then the next round creates it.
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

  /** Like `take`, but only if it exists and is free right now. */
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

  /** Recreates `work` and `state`: nothing the agent has written is left in them. */
  async clear(): Promise<void> {
    // The record is reset first: a runner that dies in between must not mistake the empty folders for the agent's.
    await this.changeRecord(() => emptyRecord())
    for (const dir of [this.workRoot, this.stateDir]) {
      const trash = this.#nameTrash()
      await rename(dir, trash).catch(ignoreMissing)
      await mkdir(dir, { recursive: true })
      await removeTree(trash)
    }
  }

  /** Moves it away first: the next run starts from scratch, however long the removal takes. */
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
  // The folder may have been removed and created again since it was looked up: then this lock is void.
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
