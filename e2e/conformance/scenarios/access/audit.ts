import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { keysOf } from '../../shapes.ts'
import { soon } from '../../until.ts'

interface AuditEntry {
  operation: string
  name: string
  account: string
}

export async function audit(book: Book, api: Api): Promise<void> {
  const { account } = (await api.whoami()).json
  await api.write('persona', 'audited', { prompt: 'x' }, { justification: 'because' })
  await api.delete('persona', 'audited')
  const list = async (query: object) => {
    const text = new URLSearchParams({ kind: 'persona', name: 'audited', ...query }).toString()
    return (await api.get<{ entries: AuditEntry[] }>(`/v1/audit?${text}`)).json.entries
  }
  book.equal(
    'has every change, newest first, and who made it',
    (await list({})).map((entry) => [entry.operation, entry.account]),
    [
      ['deleteResource', account],
      ['writeResource', account],
    ],
  )
  book.equal('can be asked for one operation', (await list({ operation: 'writeResource' })).length, 1)
  book.equal('can be asked for one account', await list({ account: 'nobody' }), [])
  book.equal('can be asked for a time', await list({ startTime: soon(60_000) }), [])

  const read = (query: Record<string, string> = {}, options = {}) =>
    api.get<{ entries: AuditEntry[]; cursor: string; hasMore: boolean }>(
      `/v1/audit/export?${new URLSearchParams(query).toString()}`,
      options,
    )
  const exported = await read({ pageSize: '1' })
  book.equal('an export has entries, a cursor and whether there is more', keysOf(exported.json), [
    'cursor',
    'entries',
    'hasMore',
  ])
  book.row('it keeps to the page size', exported.json.entries.length <= 1, exported.text)
  book.ok('it goes on after a cursor', await read({ after: exported.json.cursor }))
  book.invalid('a cursor that was never issued is INVALID_ARGUMENT', await read({ after: 'nonsense' }))
  await watchesOn(book, api, (await api.get<{ cursor: string }>('/v1/audit')).json.cursor)
  const member = { key: await api.keyFor('audit-member', { account: 'nosy', role: 'member' }) }
  book.denied('a member may not export it: PERMISSION_DENIED', await read({}, member))
}

async function watchesOn(book: Book, api: Api, after: string): Promise<void> {
  await api.write('persona', 'watched-audit', { prompt: 'x' })
  const { baseUrl, apiKey } = api.service
  const query = new URLSearchParams({ after, name: 'watched-audit' }).toString()
  const stream = await fetch(`${baseUrl}/v1/audit/watch?${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(20_000),
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('watched-audit')) break
  }
  book.row(
    'a watch from the cursor of a list has what was added since',
    text.includes('"watched-audit"'),
    text.slice(0, 300),
  )
  const refused = await api.get('/v1/audit/watch?after=nonsense')
  book.invalid('it refuses a cursor that was never issued: INVALID_ARGUMENT', refused)
}
