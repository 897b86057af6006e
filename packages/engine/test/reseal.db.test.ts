import { randomBytes } from 'node:crypto'
import { Vault, resealAll } from '@skein/engine'
import { Database, SealedValueStore } from '@skein/store'
import { startTestServer } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

let server: Awaited<ReturnType<typeof startTestServer>>

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

test('after a reseal the first master key alone opens every value of every tenant', async () => {
  const tenants = [await server.createTenant(), await server.createTenant()]
  for (const tenant of tenants) {
    for (const name of ['one', 'two'])
      await tenant.admin.write('secret', name, { value: `${name} of ${tenant.id}` })
  }
  const newKey = randomBytes(32)
  const oldKey = Buffer.from(server.config.SKEIN_MASTER_KEY, 'base64')
  const database = new Database({
    connectionString: server.database.ownerUrl,
    maxConnections: 2,
    applicationName: 'reseal test',
  })
  const owner = { ...server.engine, database, vault: new Vault([newKey, oldKey]) }
  expect(await resealAll(owner)).toEqual({ resealed: 4 })
  expect(await resealAll(owner)).toEqual({ resealed: 0 })
  await database.close()

  const onlyNew = new Vault([newKey])
  for (const tenant of tenants) {
    const sealed = await server.engine.database.forTenant(tenant.id, (transaction) =>
      new SealedValueStore(transaction).find({ kind: 'secret', name: 'two' }),
    )
    expect(onlyNew.open(sealed ?? '', `${tenant.id}/secret/two`)).toBe(`two of ${tenant.id}`)
  }
})
