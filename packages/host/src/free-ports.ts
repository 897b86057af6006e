import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Checks a loopback port, or finds any for 0. Fails with the system's error if it is taken. It was free a moment
 * ago: callers must handle losing it to someone else.
 */
export async function findFreePort(port = 0): Promise<number> {
  const probe = await openProbe(port)
  await probe.close()
  return probe.port
}

/** All different. */
export async function findFreePorts(amount: number): Promise<number[]> {
  const probes = await Promise.all(Array.from({ length: amount }, () => openProbe(0)))
  await Promise.all(probes.map((probe) => probe.close()))
  return probes.map((probe) => probe.port)
}

async function openProbe(port: number): Promise<{ port: number; close(): Promise<unknown> }> {
  const probe = createServer().listen(port, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  if (address === null || typeof address === 'string') throw new Error('The system assigned no TCP port.')
  return { port: address.port, close: () => once(probe.close(), 'close') }
}
