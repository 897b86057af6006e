import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { waitFor } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endDev, makeDataDir, processesOf, startDev } from './dev-process.ts'
import { send, writeDocument } from './http.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await makeDataDir('skein-dev-')
})

afterEach(async () => {
  await endDev()
  await untilNothingRuns()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
})

async function untilNothingRuns(): Promise<void> {
  await waitFor(() => processesOf(dataDir).length === 0, {
    what: 'every process of npm run dev to end',
    timeoutMs: 30_000,
  })
}

const canTell = process.platform === 'linux'

describe.skipIf(!canTell)('npm run dev', () => {
  test('is stopped by Ctrl-C, leaves no process, and has the same key and data the next time', async () => {
    const first = await startDev(dataDir)
    await writeDocument(first.url, first.key, 'persona/kept', { description: 'kept' })
    first.signal('SIGINT')
    await first.ended
    await untilNothingRuns()

    const second = await startDev(dataDir)
    expect(second.key).toBe(first.key)
    expect(await send(`${second.url}/v1/catalog/persona/kept`, { key: first.key })).toMatchObject({
      status: 200,
    })
  })

  test('survives a kill: at once started again, it has everything that was acknowledged', async () => {
    const first = await startDev(dataDir)
    await writeDocument(first.url, first.key, 'persona/kept', { description: 'kept' })
    first.signal('SIGKILL')
    await first.ended

    const second = await startDev(dataDir)
    expect(second.key).toBe(first.key)
    expect(await send(`${second.url}/v1/catalog/persona/kept`, { key: first.key })).toMatchObject({
      status: 200,
    })
  })

  test('whose port is taken says how to choose another, and leaves nothing running', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await once(squatter, 'listening')
    const address = squatter.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await expect(startDev(dataDir, String(port))).rejects.toThrow('npm run dev -- --port')
    squatter.close()
    await untilNothingRuns()
  })
})
