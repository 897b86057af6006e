import { setTimeout as pause } from 'node:timers/promises'
import { listChildProcesses } from '@skein/host'
import { describeTcpHandles } from './tcp-handles.ts'

/** The kinds of `process.getActiveResourcesInfo()` that a test file must close. */
const watchedResources: Readonly<Record<string, string>> = {
  TCPServerWrap: 'listening server',
  TCPSocketWrap: 'open socket',
  TLSWrap: 'open TLS socket',
  PipeWrap: 'open pipe',
  ProcessWrap: 'child process handle',
}

export interface LeakBaseline {
  readonly resources: ReadonlyMap<string, number>
  readonly children: ReadonlySet<number>
}

export interface FindLeaksOptions {
  readonly listConnections?: () => Promise<readonly string[]>
  readonly timeoutMs?: number
}

export function takeLeakBaseline(): LeakBaseline {
  return {
    resources: countResources(),
    children: new Set(listChildProcesses(process.pid).map(({ pid }) => pid)),
  }
}

/** What exists now but not at the baseline, after giving everything a moment to close. */
export async function findLeaks(
  baseline: LeakBaseline,
  { listConnections = async () => [], timeoutMs = 10_000 }: FindLeaksOptions = {},
): Promise<string[]> {
  const giveUpAt = performance.now() + timeoutMs
  for (;;) {
    const connections = await listConnections()
    // Lets the connection that was just used for asking close: it is not a leak.
    await pause(10)
    const leaks = [
      ...connections.map((connection) => `database connection: ${connection}`),
      ...leakedChildren(baseline),
      ...leakedResources(baseline),
    ]
    if (leaks.length === 0) return leaks
    if (performance.now() > giveUpAt) return [...leaks, ...tcpDetails(leaks)]
    await pause(40)
  }
}

function leakedChildren(baseline: LeakBaseline): string[] {
  return listChildProcesses(process.pid)
    .filter(({ pid }) => !baseline.children.has(pid))
    .map(({ pid, command }) => `child process ${pid}: ${command}`)
}

function leakedResources(baseline: LeakBaseline): string[] {
  const leaks: string[] = []
  for (const [kind, count] of countResources()) {
    const extra = count - (baseline.resources.get(kind) ?? 0)
    if (extra > 0) leaks.push(`${extra} × ${watchedResources[kind] ?? kind} (${kind})`)
  }
  return leaks
}

/** Resources have no address, so this process's handles are listed on a separate line. */
function tcpDetails(leaks: readonly string[]): string[] {
  if (!leaks.some((leak) => leak.includes('TCP'))) return []
  return [`TCP handles of this process: ${describeTcpHandles().join(', ')}`]
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind in watchedResources) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return counts
}
