import { findFreePort } from '@skein/host'
import { DevError } from './dev-error.ts'

/**
 * Checks the requested port, or finds a free one for 0. Done before starting anything, because a start takes
 * seconds.
 */
export async function claimPort(port: number): Promise<number> {
  try {
    return await findFreePort(port)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new DevError(
        `Port ${port} is in use by another program. Choose another one: skein dev --port ${port + 1}`,
      )
    }
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      throw new DevError(`You may not use port ${port}. Choose one above 1023: skein dev --port 8081`)
    }
    throw error
  }
}
