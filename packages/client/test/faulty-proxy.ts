import { once } from 'node:events'
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'

/** What becomes of one request on its way. Those without a fault pass. */
type Fault =
  | { readonly do: 'cut-request' }
  /** The service carries it out, and its answer is lost. */
  | { readonly do: 'cut-answer' }
  /** The head and some of the body arrive. */
  | { readonly do: 'cut-body' }
  | { readonly do: 'hang' }
  | {
      readonly do: 'answer'
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: string
    }

interface PassedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly atMs: number
}

export interface FaultyProxy {
  readonly url: string
  readonly requests: readonly PassedRequest[]
  /** For the requests to come, in order. */
  plan(...faults: readonly Fault[]): void
  close(): Promise<void>
}

/** Stands between a client and the service and breaks what it is told to. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const planned: Fault[] = []
  const requests: PassedRequest[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
    )
    requests.push({ method, url, headers, atMs: performance.now() })
    carryOut(planned.shift(), request, response, target)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('A listening server has an address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    plan: (...faults) => void planned.splice(0, planned.length, ...faults),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function carryOut(
  fault: Fault | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
): void {
  if (fault?.do === 'hang') return
  if (fault?.do === 'cut-request') {
    request.socket.destroy()
  } else if (fault?.do === 'answer') {
    response.writeHead(fault.status, fault.headers).end(fault.body)
  } else {
    const onward = forward(
      new URL(request.url ?? '', target),
      { method: request.method, headers: request.headers },
      (answer) => {
        if (fault?.do === 'cut-answer') {
          answer.resume().once('end', () => request.socket.destroy())
        } else if (fault?.do === 'cut-body') {
          response.writeHead(answer.statusCode ?? 0, answer.headers)
          response.write('{"', () => request.socket.destroy())
          answer.resume()
        } else {
          response.writeHead(answer.statusCode ?? 0, answer.headers)
          answer.pipe(response)
        }
      },
    )
    response.once('close', () => onward.destroy())
    onward.once('error', () => response.destroy())
    request.pipe(onward)
  }
}
