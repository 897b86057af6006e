import { createEmptyDatabase, createTestDatabase } from '@skein/testkit'
import { expect, test } from 'vitest'
import { Database } from '../src/index.ts'

async function open(listenConnectionString?: string) {
  const { serverUrl, ownerUrl } = await createTestDatabase()
  const options = { connectionString: serverUrl, maxConnections: 2, applicationName: 'test' }
  const database = new Database({
    ...options,
    listenConnectionString: listenConnectionString ?? ownerUrl,
  })
  const heard: string[] = []
  const listener = await database.notifications.listen((keys) => void heard.push(...keys))
  const close = async (): Promise<void> => {
    await listener.stop()
    await database.close()
  }
  return { bus: database.notifications, heard, close }
}

test('notifications that arrive on an address of their own are not lost, and the check wakes nobody', async () => {
  const { bus, heard, close } = await open()
  await bus.check(30_000)
  await bus.notify(['a:1'])
  await bus.check(30_000)
  expect(bus.isLosing).toBe(false)
  expect(heard).toEqual(['a:1'])
  await close()
})

test('notifications that go elsewhere are lost, and the check says so', async () => {
  const elsewhere = await createEmptyDatabase()
  const { bus, close } = await open(elsewhere.ownerUrl)
  await bus.check(100)
  expect(bus.isLosing).toBe(true)
  await close()
})

test('while nobody listens, the check learns nothing', async () => {
  const { bus, close } = await open()
  await close()
  await bus.check(100)
  expect(bus.isLosing).toBe(false)
})
