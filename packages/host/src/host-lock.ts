import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

export interface HeldLock {
  release(): void
}

const SQLITE_BUSY = 5
const POLL_MS = 20

/**
 * A lock on this host, held by an open, otherwise empty SQLite file: the only operating system lock Node can take.
 * The kernel releases it however its holder ends, so a SIGKILL leaves nothing to clean up. Nothing else may open the
 * file, because closing it would release the lock for the whole process.
 */
export function tryLock(path: string): HeldLock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
  return { release: () => database.isOpen && database.close() }
}

/** Undefined on timeout. */
export async function waitForLock(path: string, timeoutMs: number): Promise<HeldLock | undefined> {
  const giveUpAt = performance.now() + timeoutMs
  for (;;) {
    const held = tryLock(path)
    if (held !== undefined || performance.now() > giveUpAt) return held
    await pause(POLL_MS)
  }
}

function isBusy(error: unknown): boolean {
  // The low byte is the primary code.
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY
}
