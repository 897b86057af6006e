import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Skein</title>
<p>You can close this page and go back to your terminal.</p>
</html>
`

/** What the browser brought. */
interface BroughtCode {
  readonly loginId: string
  /** Undefined if the person refused. */
  readonly code: string | undefined
}

interface CodeListener {
  readonly port: number
  /** The code of this login, once the browser brings it. */
  waitFor(loginId: string, signal: AbortSignal): Promise<BroughtCode>
  close(): void
}

/** Listens on this machine only, for the browser that the dashboard sends here (RFC 8252). */
export async function listenForCode(): Promise<CodeListener> {
  const brought: BroughtCode[] = []
  const server = createServer((request, response) => answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A listening server has a port')
  const { port } = address
  return {
    port,
    async waitFor(loginId, signal) {
      for (;;) {
        const found = brought.find((candidate) => candidate.loginId === loginId)
        if (found) return found
        await once(server, 'brought', { signal })
      }
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }

  function answer({ method, url = '/', headers }: IncomingMessage, response: ServerResponse): void {
    // Null for a path such as `//`.
    const target = URL.parse(url, 'http://127.0.0.1')
    const loginId = target?.searchParams.get('login') ?? undefined
    const code = target?.searchParams.get('code') ?? undefined
    const isDecided = code !== undefined || target?.searchParams.has('error') === true
    // Another name that leads to this machine is not ours.
    const isOurs = method === 'GET' && target?.pathname === '/' && headers.host === `127.0.0.1:${port}`
    if (!isOurs || loginId === undefined || !isDecided) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      connection: 'close',
    })
    response.end(PAGE, () => {
      brought.push({ loginId, code })
      server.emit('brought')
    })
  }
}
