/**
 * Runs one program of `skein dev` in a separate process, and outlives its parent just long enough to end the
 * program. Standard input is the connection to `skein dev`: the word "stop" asks for an orderly end, and end of
 * input means that `skein dev` is gone, even by SIGKILL. Arguments: lock file, log file, program, its arguments.
 */
import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { listProcessTree, waitForLock } from '@skein/host'

const LOCK_TIMEOUT_MS = 20_000
/** The runner hands back its runs, and the server finishes its requests. */
const STOP_GRACE_MS = 20_000
/** With the database gone too, there is nothing to hand back to, and the next start is waiting. */
const ABANDONED_GRACE_MS = 2_000

const [lockFile = '', logFile = '', program = '', ...args] = process.argv.slice(2)

let isStopping = false
let killTimer: NodeJS.Timeout | undefined
/** Until the program runs, there is nothing to end. */
let stop: (graceMs: number) => void = () => process.exit(0)

// The other end may already be gone.
process.stdout.on('error', () => {})
// Only our input ends the program, not signals a terminal sends to the whole group.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})
process.on('SIGTERM', () => stop(STOP_GRACE_MS))
process.stdin.on('data', () => stop(STOP_GRACE_MS))
process.stdin.on('end', () => stop(ABANDONED_GRACE_MS))

const lock = await waitForLock(lockFile, LOCK_TIMEOUT_MS)
if (lock === undefined) end('did not start, because another one is still running')

const log = openSync(logFile, 'a', 0o600)
const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', log, log] })
child.once('error', (error) => end(`did not start: ${error.message}`))
child.once('exit', (code, signal) => {
  clearTimeout(killTimer)
  end(signal === null ? `exited with code ${code}` : `was killed by ${signal}`)
})

stop = (graceMs) => {
  if (!isStopping) child.kill('SIGTERM')
  isStopping = true
  clearTimeout(killTimer)
  killTimer = setTimeout(killTree, graceMs)
}

/** A killed runner cannot end the agents it started. */
function killTree(): void {
  for (const pid of child.pid === undefined ? [] : listProcessTree(child.pid)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Ended in the meantime.
    }
  }
}

function end(reason: string): never {
  process.stdout.write(reason)
  lock?.release()
  process.exit(isStopping ? 0 : 1)
}
