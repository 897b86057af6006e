import { once } from 'node:events'
import { createServer } from 'node:net'
import { isAlive, listProcessTree } from '@skein/host'
import { waitFor } from '@skein/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { HelperProcess } from '../../src/sandbox/helper-process.ts'
import { keepCommand } from '../../src/sandbox/network/sandbox-network.ts'

test.skipIf(process.platform !== 'linux')('a listener that cannot listen ends with its holder', async () => {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('A listening server has an address')
  const [program = '', ...args] = keepCommand(address.port)
  const holder = new HelperProcess(program, args)
  onTestFinished(() => holder.end())
  const listener = await waitFor(() => listProcessTree(holder.pid)[1], { what: 'the listener' })

  await holder.end()

  await waitFor(() => !isAlive(listener), { what: 'the listener to end' })
  expect(isAlive(listener)).toBe(false)
})
