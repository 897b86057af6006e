import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Choices } from './choices.ts'

const COMMIT = Buffer.from('commit\0')

export interface CuttingProxy {
  readonly port: number
  readonly cuts: { beforeCommit: number; afterCommit: number }
  close(): Promise<void>
}

/**
 * A way to PostgreSQL that loses connections when it hurts most: a COMMIT that never arrives, or one that does and
 * whose answer is lost.
 */
export async function startCuttingProxy(
  target: { host: string; port: number },
  choices: Choices,
  cutPercent: number,
): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  const cuts = { beforeCommit: 0, afterCommit: 0 }
  const server = createServer((near) => {
    const far = connect(target.port, target.host)
    const cut = (): void => void [near.destroy(), far.destroy()]
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => void [sockets.delete(socket), cut()])
    }
    let isDeaf = false
    far.on('data', (chunk) => void (isDeaf ? cut() : near.write(chunk)))
    near.on('data', (chunk: Buffer) => {
      if (!chunk.includes(COMMIT) || !choices.percent(cutPercent)) return void far.write(chunk)
      if (choices.percent(50)) {
        cuts.beforeCommit++
        return cut()
      }
      cuts.afterCommit++
      isDeaf = true
      far.write(chunk)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cuts,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
