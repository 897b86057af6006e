/** Receives webhooks in a separate process, so that counting them does not slow down the measurement. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What it does with requests to one path: `hang` never answers. */
export type Manner = 'answer' | 'fail' | 'hang'

export type ReceiverOrder =
  | { readonly order: 'behave'; readonly path: string; readonly manner: Manner }
  /** Forgets what was counted, after telling it. */
  | { readonly order: 'count' }

export interface PathCounts {
  readonly requests: number
  readonly mostAtOnce: number
  /** From the event to its arrival. */
  readonly latenciesMs: readonly number[]
}

export type ReceiverMessage =
  { readonly port: number } | { readonly counts: Readonly<Record<string, PathCounts>> }

const manners = new Map<string, Manner>()
const open = new Map<string, Set<ServerResponse>>()
let counted = new Map<string, { requests: number; mostAtOnce: number; latenciesMs: number[] }>()

const server = createServer((request, response) => {
  const path = request.url ?? '/'
  void text(request).then(
    (body) => receive(path, body, response),
    () => undefined,
  )
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }))

function receive(path: string, body: string, response: ServerResponse): void {
  const waiting = open.get(path) ?? new Set()
  open.set(path, waiting)
  waiting.add(response)
  response.once('close', () => waiting.delete(response))
  const counts = counted.get(path) ?? { requests: 0, mostAtOnce: 0, latenciesMs: [] }
  counted.set(path, counts)
  counts.requests += 1
  counts.mostAtOnce = Math.max(counts.mostAtOnce, waiting.size)
  const happenedAt = /"timestamp":"([^"]+)"/.exec(body)?.[1]
  if (happenedAt !== undefined) counts.latenciesMs.push(Date.now() - Date.parse(happenedAt))
  const manner = manners.get(path) ?? 'answer'
  if (manner === 'hang') return
  waiting.delete(response)
  response.writeHead(manner === 'fail' ? 503 : 204).end()
}

process.on('message', (message) => {
  const order = message as ReceiverOrder
  if (order.order === 'behave') {
    manners.set(order.path, order.manner)
    return
  }
  tell({ counts: Object.fromEntries(counted) })
  counted = new Map()
})
process.once('disconnect', () => process.exit(0))

function tell(message: ReceiverMessage): void {
  process.send?.(message)
}
