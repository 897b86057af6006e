import { createServer, connect, type Socket } from 'node:net'
import type { TestDatabase } from '@skein/testkit'

export interface DatabaseLine {
  /** The same database, reached over the line. */
  readonly database: TestDatabase
  /** From now on the database cannot be reached. */
  cut(): void
}

/** A line to the database that a test can cut, as a network does. */
export async function openDatabaseLine(database: TestDatabase): Promise<DatabaseLine> {
  const target = new URL(database.serverUrl)
  const sockets = new Set<Socket>()
  const line = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.destroy())
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => void line.listen(0, '127.0.0.1', resolve))
  const address = line.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const url = new URL(database.serverUrl)
  url.host = `127.0.0.1:${port}`
  return {
    database: { ...database, serverUrl: url.href },
    cut() {
      line.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
