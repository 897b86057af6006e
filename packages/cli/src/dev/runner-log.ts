import type { DevSandbox } from './options.ts'

const READY = / ready: backends .*; sandboxes (.*); http/
const NO_BUBBLEWRAP = / cannot offer the sandbox bubblewrap: (.*)/

export function isReadyLine(log: string): boolean {
  return READY.test(log)
}

/** What agents are kept in: the runner has tried what works here. */
export function chooseSandbox(
  log: string,
  wanted: DevSandbox | undefined,
): { readonly sandbox: DevSandbox; readonly warning?: string } {
  if (wanted !== undefined) return { sandbox: wanted }
  const offered = READY.exec(log)?.[1]?.split(', ') ?? []
  if (offered.includes('bubblewrap')) return { sandbox: 'bubblewrap' }
  const reason = NO_BUBBLEWRAP.exec(log)?.[1] ?? ''
  return {
    sandbox: 'process',
    warning: `agents run without a sandbox and can do all that you can, because ${reason}`,
  }
}
