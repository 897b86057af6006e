import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { findFreePort, findFreePorts } from '../src/index.ts'

test('a port in use fails with the error of the system', async () => {
  const squatter = createServer().listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  const address = squatter.address()
  const port = typeof address === 'object' ? address?.port : undefined
  await expect(findFreePort(port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await once(squatter.close(), 'close')
})

test('several ports are all different, and can be listened on', async () => {
  const ports = await findFreePorts(5)
  expect(new Set(ports).size).toBe(5)
  const [first = 0] = ports
  expect(await findFreePort(first)).toBe(first)
})

test('no port is one that the system may give to an outgoing connection meanwhile', async () => {
  for (const port of await findFreePorts(50)) expect(port).toBeLessThan(32_768)
})
