import { createContext, Script } from 'node:vm'

const room = createContext({ work: undefined as unknown })
const call = new Script('work()')

/**
 * Does work that cannot be interrupted otherwise, such as matching a pattern of somebody's own, and says whether it was
 * done in time or cut off: every other run of this runner waits meanwhile. Only a script of `node:vm` can be cut off;
 * what it calls is ours.
 */
export function isDoneWithin(timeout: number, work: () => void): boolean {
  room['work'] = work
  try {
    call.runInContext(room, { timeout })
    return true
  } catch (error) {
    if (isTimeout(error)) return false
    throw error
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
