import { createContext, Script } from 'node:vm'

const room = createContext({ work: undefined as unknown })
const call = new Script('work()')

export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
}

/**
 * Does work that cannot be interrupted otherwise, such as matching a pattern of somebody's own, and cuts it off when its
 * time is up: every other run of this runner waits meanwhile. Only a script of `node:vm` can be cut off; what it calls
 * is ours.
 */
export function withinMs(timeout: number, work: () => void): void {
  room['work'] = work
  try {
    call.runInContext(room, { timeout })
  } catch (error) {
    throw isTimeout(error) ? new TookTooLong(`took over ${timeout} ms`) : error
  } finally {
    room['work'] = undefined
  }
}

/** It comes from the other side, where Error is another class. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  )
}
