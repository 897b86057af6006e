import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findLeaks, takeLeakBaseline } from '../src/leaks.ts'
import { createEmptyDatabase, listTestDatabaseConnections } from '../src/test-databases.ts'

async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

const port = (server: Server) => (server.address() as AddressInfo).port
const quick = { timeoutMs: 50 }

describe('the leak check', () => {
  test('finds nothing when nothing is left', async () => {
    expect(await findLeaks(takeLeakBaseline(), quick)).toEqual([])
  })

  test('names a server that still listens', async () => {
    const baseline = takeLeakBaseline()
    const server = await listen()
    const leaks = await findLeaks(baseline, quick)
    expect(leaks).toEqual([
      '1 × listening server (TCPServerWrap)',
      expect.stringContaining(`:${port(server)} (listening)`),
    ])
  })

  test('names an open socket', async () => {
    const server = await listen()
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const baseline = takeLeakBaseline()
    const socket = createConnection(port(server), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const [serverSide] = await accepted
    onTestFinished(() => void serverSide.destroy())
    expect(await findLeaks(baseline, quick)).toEqual([
      '2 × open socket (TCPSocketWrap)',
      expect.stringMatching(` to .*:${port(server)}\\b`),
    ])
  })

  test('names a child process and its pipes', async () => {
    const baseline = takeLeakBaseline()
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await once(child, 'close')
    })
    const leaks = await findLeaks(baseline, quick)
    const seen = process.platform !== 'linux' || leaks.some((leak) => leak.includes(`process ${child.pid}: `))
    expect(seen).toBe(true)
    expect(leaks).toContainEqual(expect.stringMatching(/^3 × open pipe/))
    expect(leaks).toContainEqual(expect.stringMatching(/^1 × child process handle/))
  })

  test('names a connection to a database of the file, with its last query', async () => {
    const { ownerUrl, name } = await createEmptyDatabase()
    const client = new Client({ connectionString: ownerUrl, application_name: 'forgetful' })
    await client.connect()
    await client.query('select 1 as left_open')
    const baseline = takeLeakBaseline()
    const options = { ...quick, listConnections: listTestDatabaseConnections }
    const leaks = await findLeaks(baseline, options)
    await client.end()
    expect(leaks).toEqual([expect.stringMatching(`^database connection: ${name} .*forgetful.*left_open`)])
    expect(await findLeaks(takeLeakBaseline(), { listConnections: listTestDatabaseConnections })).toEqual([])
  })

  test('waits for what is still winding down', async () => {
    const baseline = takeLeakBaseline()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const finding = findLeaks(baseline)
    server.close()
    expect(await finding).toEqual([])
  })

  test('does not blame a file for what was there before it', async () => {
    await listen()
    expect(await findLeaks(takeLeakBaseline(), quick)).toEqual([])
  })
})
