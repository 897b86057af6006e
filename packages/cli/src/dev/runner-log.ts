import { DevError, type DevSandbox } from './options.ts'

const READY = / ready: backends .*; sandboxes (.*); http/
const NO_BUBBLEWRAP = / cannot offer the sandbox bubblewrap: (.*)/

const LEFT_ROOT = / started as root: runs as uid (\d+), gid (\d+) /

/** Who the runner has become; undefined when it is who started it. */
export function findRunnerUser(log: string): { readonly uid: number; readonly gid: number } | undefined {
  const [, uid, gid] = LEFT_ROOT.exec(log) ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

const UNHELD = / cannot offer the limit (\w+) in (\w+): (.*)/g

export interface UnheldLimit {
  /** The field of the VM profile. */
  readonly field: string
  readonly reason: string
}

/** The limits of a machine that the runner cannot hold in this sandbox. */
export function findUnheldLimits(log: string, sandbox: DevSandbox): UnheldLimit[] {
  return [...log.matchAll(UNHELD)]
    .filter(([, , place]) => place === sandbox)
    .map(([, field = '', , reason = '']) => ({ field, reason }))
}

export function isReadyLine(log: string): boolean {
  return READY.test(log)
}

/** What agents are kept in: the runner has tried what works here. */
export function chooseSandbox(
  log: string,
  wanted: DevSandbox | undefined,
): { readonly sandbox: DevSandbox; readonly warning?: string } {
  const offered = READY.exec(log)?.[1]?.split(', ') ?? []
  const reason = NO_BUBBLEWRAP.exec(log)?.[1] ?? ''
  if (wanted !== undefined && !offered.includes(wanted)) {
    // A runner goes on without it and says so; here nobody would read that, and no agent would ever start.
    throw new DevError(`The runner cannot offer the sandbox ${wanted}: ${reason}`)
  }
  if (wanted !== undefined) return { sandbox: wanted }
  if (offered.includes('bubblewrap')) return { sandbox: 'bubblewrap' }
  return {
    sandbox: 'process',
    warning: `agents run without a sandbox and can do all that you can, because ${reason}`,
  }
}
