import { open, rm, stat, utimes } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { UsageError } from '../command-line/usage-error.ts'

/** A process that was killed leaves its lock behind. One that works on shows it. */
const STALE_MS = 30_000
const SHOW_MS = 5_000
const PAUSE_MS = 50

/** One process at a time works on the file. */
export async function withFileLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`
  while (!(await tryLock(lock, path))) await pause(PAUSE_MS)
  const shown = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => undefined), SHOW_MS)
  try {
    return await work()
  } finally {
    clearInterval(shown)
    await rm(lock, { force: true })
  }
}

async function tryLock(lock: string, path: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close()
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EEXIST')
      throw new UsageError(`${path} cannot be written (${String(code)}).`, 'Check its folder.')
  }
  const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }))
  if (Date.now() - mtimeMs > STALE_MS) await rm(lock, { force: true })
  return false
}
