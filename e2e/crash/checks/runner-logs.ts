import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Step } from '@skein/testkit'
import type { Client } from 'pg'

type RunnerLine = { readonly lease: string; readonly at: number } & (
  | { readonly type: 'started'; readonly messages: ReceivedMessage[] }
  | { readonly type: 'reported'; readonly step: Step; readonly isCurrent: boolean }
  | { readonly type: 'ended'; readonly reason: string; readonly accepted: boolean }
  | { readonly type: 'lost' }
)

interface ReceivedMessage {
  readonly followUpId: string
  readonly digest: string
}

/** What a runner did with one assignment, from its own log. */
export interface ExecutedAttempt {
  readonly path: string
  readonly runId: string
  readonly attempt: number
  readonly startedAt: number
  readonly messages: readonly ReceivedMessage[]
  readonly reports: { readonly step: Step; readonly isCurrent: boolean }[]
  /** Undefined if the runner was killed, or told that the run is no longer its own. */
  end: { readonly reason: string; readonly accepted: boolean } | undefined
}

/** The logs of all runners, each read on from where the last round ended. */
export class RunnerLogs {
  readonly #files: readonly string[]
  readonly #offsets = new Map<string, number>()

  constructor(files: readonly string[]) {
    this.#files = files
  }

  /** Skips agents that are not in `pathOf`. */
  readOn(pathOf: ReadonlyMap<string, string>): ExecutedAttempt[] {
    return this.#files.flatMap((file) => toAttempts(this.#readOn(file), pathOf))
  }

  #readOn(file: string): RunnerLine[] {
    if (!existsSync(file)) return []
    const offset = this.#offsets.get(file) ?? 0
    const handle = openSync(file, 'r')
    const bytes = Buffer.alloc(fstatSync(handle).size - offset)
    readSync(handle, bytes, 0, bytes.length, offset)
    closeSync(handle)
    this.#offsets.set(file, offset + bytes.length)
    return (
      bytes
        .toString()
        .split('\n')
        // A runner killed while writing leaves half a line.
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as RunnerLine)
    )
  }
}

function toAttempts(lines: readonly RunnerLine[], pathOf: ReadonlyMap<string, string>): ExecutedAttempt[] {
  const attempts: ExecutedAttempt[] = []
  const current = new Map<string, ExecutedAttempt>()
  for (const line of lines) {
    const [, agentId = '', runId = '', attempt] = line.lease.split('.')
    const path = pathOf.get(agentId)
    if (path === undefined) continue
    if (line.type === 'started') {
      const { messages, at: startedAt } = line
      const begun = {
        path,
        runId,
        attempt: Number(attempt),
        startedAt,
        messages,
        reports: [],
        end: undefined,
      }
      attempts.push(begun)
      current.set(line.lease, begun)
    } else if (line.type === 'reported') {
      current.get(line.lease)?.reports.push({ step: line.step, isCurrent: line.isCurrent })
    } else if (line.type === 'ended') {
      const open = current.get(line.lease)
      if (open) open.end = { reason: line.reason, accepted: line.accepted }
    }
  }
  return attempts
}

/** Leases identify agents by their row's id, which the API doesn't show. */
export async function readAgentPaths(owner: Client, prefix: string): Promise<Map<string, string>> {
  const { rows } = await owner.query<{ id: string; key: string }>('select id, key from agent')
  const paths = rows.map(({ id, key }): [string, string] => [id, key.split('/').slice(3).join('/')])
  return new Map(paths.filter(([, path]) => path.startsWith(prefix)))
}
