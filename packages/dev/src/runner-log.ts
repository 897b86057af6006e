import { DevError } from './dev-error.ts'
import type { DevSandbox } from './dev-sandbox.ts'

const READY = / ready: backends .*; sandboxes (.*); http/
const NO_BUBBLEWRAP = / cannot offer the sandbox bubblewrap: (.*)/

const LEFT_ROOT = / started as root: runs as uid (\d+), gid (\d+) /

/** The user the runner switched to; undefined if it didn't. */
export function findRunnerUser(log: string): { readonly uid: number; readonly gid: number } | undefined {
  const [, uid, gid] = LEFT_ROOT.exec(log) ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

const UNHELD = / cannot offer the limit (\w+) in (\w+): (.*)/g

export interface UnheldLimit {
  /** Field of the VM profile. */
  readonly field: string
  readonly reason: string
}

/** Machine limits the runner cannot enforce in this sandbox. */
export function findUnheldLimits(log: string, sandbox: DevSandbox): UnheldLimit[] {
  return [...log.matchAll(UNHELD)]
    .filter(([, , place]) => place === sandbox)
    .map(([, field = '', , reason = '']) => ({ field, reason }))
}

export function isReadyLine(log: string): boolean {
  return READY.test(log)
}

/** Chooses the agents' sandbox. The runner has tested what works here. */
export function chooseSandbox(
  log: string,
  wanted: DevSandbox | undefined,
): { readonly sandbox: DevSandbox; readonly warning?: string } {
  const offered = READY.exec(log)?.[1]?.split(', ') ?? []
  const reason = NO_BUBBLEWRAP.exec(log)?.[1] ?? ''
  if (wanted !== undefined && !offered.includes(wanted)) {
    // A runner continues without it and logs that. Here nobody would read it, and no agent would ever start.
    throw new DevError(`The runner cannot offer the sandbox ${wanted}: ${reason}`)
  }
  if (wanted !== undefined) return { sandbox: wanted }
  if (offered.includes('bubblewrap')) return { sandbox: 'bubblewrap' }
  return {
    sandbox: 'process',
    warning: `agents run without a sandbox and can do all that you can, because ${reason}`,
  }
}
