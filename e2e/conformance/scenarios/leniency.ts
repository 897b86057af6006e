import type { Api } from '../api.ts'
import type { Book } from '../book.ts'

export async function leniency(book: Book, api: Api): Promise<void> {
  book.ok(
    'null is absent (proto3 JSON): {"account": null} lists the caller’s own',
    await api.list({ account: null }),
  )
  book.ok(
    'an operation whose fields are all optional takes an empty body',
    await api.call('POST', '/v1/agents', undefined, { headers: { 'content-type': 'application/json' } }),
  )
  book.ok(
    'a ref that repeats kind and name of the path is accepted (ref is the resource reference)',
    await api.write('persona', 'referred', { prompt: 'x' }, { ref: { kind: 'persona', name: 'referred' } }),
  )
  await api.write('token', 'offset', {
    account: 'x',
    role: 'viewer',
    expireTime: '2031-01-01T05:30:00+05:30',
  })
  book.equal(
    'a time in a document, sent with an offset, is answered in UTC with milliseconds',
    (await api.readDocument('token', 'offset')).expireTime,
    '2031-01-01T00:00:00.000Z',
  )
}
