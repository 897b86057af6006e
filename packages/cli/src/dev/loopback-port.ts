import { once } from 'node:events'
import { createServer } from 'node:net'
import { DevError } from './options.ts'

/** The port asked for, or a free one for 0. Said before anything is started: a start takes seconds. */
export async function claimPort(port: number): Promise<number> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new DevError(
        `Port ${port} is in use by another program. Choose another one: skein dev --port ${port + 1}`,
      )
    }
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      throw new DevError(`Port ${port} needs more rights. Choose one from 1024 on: skein dev --port 8081`)
    }
    throw error
  }
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('The system gave no TCP port.')
  return address.port
}
