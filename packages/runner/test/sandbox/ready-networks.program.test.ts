import { execFileSync } from 'node:child_process'
import { listProcessTree } from '@skein/host'
import { waitFor } from '@skein/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ReadyNetworks } from '../../src/sandbox/network/ready-networks.ts'
import type { SandboxNetwork } from '../../src/sandbox/network/sandbox-network.ts'
import { readProc, requireBubblewrap } from './sandbox-fixture.ts'

const PORT = 18_933

/** The namespace's name. Throws if it is gone. */
function nameOf({ enter }: SandboxNetwork): string {
  const [program = '', ...args] = enter
  return execFileSync(program, [...args, 'readlink', '/proc/self/ns/net']).toString()
}

/** The processes that keep networks. */
function findHolders(): number[] {
  return listProcessTree(process.pid).filter((pid) => readProc(String(pid), 'cmdline') === 'cat\0')
}

async function fill(count: number): Promise<ReadyNetworks> {
  const networks = new ReadyNetworks({ port: PORT, count })
  onTestFinished(() => networks.close())
  networks.fill()
  return networks
}

async function take(networks: ReadyNetworks, port = PORT): Promise<SandboxNetwork> {
  const network = await networks.take(port)
  onTestFinished(() => network.close())
  return network
}

describe.skipIf(process.platform !== 'linux')('networks made ahead', () => {
  requireBubblewrap()

  test('each is given once, and more are made when they are used up', async () => {
    const networks = await fill(2)
    const taken = [await take(networks), await take(networks), await take(networks), await take(networks)]
    expect(new Set(taken.map(nameOf)).size).toBe(4)
    for (const { listener } of taken) expect(listener.address()).toMatchObject({ port: PORT })
  })

  test('one that was ended while it was ready is not given, and cannot be entered', async () => {
    const networks = await fill(1)
    await waitFor(() => findHolders().length > 0, { what: 'a network' })
    const [holder = 0] = findHolders()
    process.kill(holder, 'SIGKILL')
    await waitFor(() => findHolders().length === 0, { what: 'its end' })
    const network = await take(networks)
    expect(nameOf(network)).toContain('net:')
    for (const pid of findHolders()) process.kill(pid, 'SIGKILL')
    await waitFor(() => !network.isRunning, { what: 'its end' })
    expect(() => network.enter).toThrow('no longer exists')
  })

  test('one for another port is made for it', async () => {
    const { listener } = await take(await fill(1), PORT + 1)
    expect(listener.address()).toMatchObject({ port: PORT + 1 })
  })

  test('nothing is left of those that nobody took', async () => {
    const networks = await fill(2)
    await waitFor(() => findHolders().length > 0, { what: 'a network' })
    await networks.close()
    expect(findHolders()).toEqual([])
  })
})
