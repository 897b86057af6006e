/**
 * A separate process next to a PostgreSQL server that outlives the process that started both. The owner sends the pid to end
 * on standard input (initdb's or the postmaster's, 0 for none). End of input means that the owner is gone, even by
 * SIGKILL. Arguments: the signal to send, and the directory to delete ('' for none).
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive } from '@skein/host'
import { removeSharedMemory } from './shared-memory.ts'

const [signal, directory] = process.argv.slice(2)
if (signal !== 'SIGINT' && signal !== 'SIGQUIT') throw new Error(`not a signal to end PostgreSQL: ${signal}`)

let pid = 0
for await (const line of createInterface({ input: process.stdin })) pid = Number(line)

if (pid > 0 && isAlive(pid)) {
  process.kill(pid, signal)
  const giveUpAt = performance.now() + 30_000
  while (isAlive(pid) && performance.now() < giveUpAt) await pause(20)
  if (isAlive(pid)) process.kill(pid, 'SIGKILL')
}
if (directory) {
  await removeSharedMemory(join(directory, 'pgdata'))
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
}
