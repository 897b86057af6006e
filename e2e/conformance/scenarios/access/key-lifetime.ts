import { documentOf, type Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { until } from '../../until.ts'

export async function keyLifetime(book: Book, api: Api): Promise<void> {
  const expireTime = new Date(Date.now() + 4000).toISOString()
  const brief4 = await api.keyFor('short-lived', { account: 'shorty', role: 'viewer', expireTime })
  const before = await api.whoami({ key: brief4 })
  book.row(
    'a key works before its expiry, and whoami says when that is',
    before.status === 200 && before.json.expireTime === expireTime,
    shown(before),
  )
  const revoked = await api.keyFor('revoked', { account: 'rev', role: 'viewer' })
  const deleted = await api.keyFor('deleted', { account: 'del', role: 'viewer' })
  const rotatedOld = await api.keyFor('rotated', { account: 'rot', role: 'viewer' })
  for (const key of [revoked, deleted, rotatedOld]) await api.whoami({ key })
  await api.write('token', 'revoked', { account: 'rev', role: 'viewer', revoked: true })
  await api.delete('token', 'deleted')
  const rotation = await api.patch('token', 'rotated', { keyVersion: 2 }, 'keyVersion')
  const rotatedNew = documentOf(rotation.json.payload).key
  const dies = (key: string) =>
    until(async () => ((await api.whoami({ key })).status === 401 ? true : undefined), 10_000, 250)
  book.row('a revoked key stops working within seconds', await dies(revoked))
  book.unauthenticated('a revoked key is UNAUTHENTICATED', await api.whoami({ key: revoked }))
  book.row('the key of a deleted token stops working within seconds', await dies(deleted))
  book.row('a rotated key stops working within seconds', await dies(rotatedOld))
  book.row(
    'a rotation answers the new key, once',
    (await api.whoami({ key: rotatedNew })).status === 200,
    rotation.text,
  )
  await until(() => Date.now() > Date.parse(expireTime) + 300, 8000)
  book.unauthenticated('an expired key is UNAUTHENTICATED', await api.whoami({ key: brief4 }))
}
