import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the range from which systems assign ports to outgoing connections and to anyone who listens on port 0
 * (32768 and up on Linux, 49152 on macOS and Windows). From that range, a port would often be lost between this check
 * and its use, seconds later.
 */
const FIRST_PORT = 15_000
const END_PORT = 32_000

/** If so many are taken, something else is wrong. */
const MAX_TRIES = 100

/**
 * Checks a loopback port, or finds any for 0. Fails with the system's error if it is taken. It was free a moment
 * ago: callers must handle losing it to someone else.
 */
export async function findFreePort(port = 0): Promise<number> {
  const probe = port === 0 ? await openAnyProbe() : await openProbe(port)
  await probe.close()
  return probe.port
}

/** All different. */
export async function findFreePorts(amount: number): Promise<number[]> {
  const probes = await Promise.all(Array.from({ length: amount }, openAnyProbe))
  await Promise.all(probes.map((probe) => probe.close()))
  return probes.map((probe) => probe.port)
}

interface Probe {
  readonly port: number
  close(): Promise<unknown>
}

async function openAnyProbe(): Promise<Probe> {
  for (let tries = 1; ; tries++) {
    try {
      return await openProbe(randomInt(FIRST_PORT, END_PORT))
    } catch (error) {
      if (tries === MAX_TRIES) throw error
    }
  }
}

async function openProbe(port: number): Promise<Probe> {
  const probe = createServer().listen(port, '127.0.0.1')
  await once(probe, 'listening')
  return { port, close: () => once(probe.close(), 'close') }
}
