import type { Resource } from '../../answers.ts'
import { base64, type Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { idle } from '../../simulated.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

export async function nulls(book: Book, api: Api): Promise<void> {
  book.ok('null for an optional field is the field left out', await api.list({ account: null }))
  const nested = await api.status({
    ...idle('never-was'),
    tenant: { provider: null, org: null },
    account: null,
  })
  book.notFound('… also in an object within', nested)
  const agent = idle('nulled')
  book.ok(
    '… also in the items of a list',
    await api.spawn(agent, 'x', {
      tasks: [{ subject: 's', id: null, activation: null }],
      model: null,
      labels: null,
    }),
  )
  book.ok('… also where it is a condition', await api.queue(agent, { description: 'x', deliverAt: null }))
  await api.write('persona', 'nulled', { prompt: 'x', model: null })
  book.equal('… also in a document', (await api.readDocument('persona', 'nulled')).model, '')
  book.invalid('null for a required field is the field missing', await api.status(null), { field: 'agentId' })
  book.invalid('null for an unknown field is an unknown field', await api.list({ acount: null }), {
    field: 'acount',
  })
  book.invalid(
    'null in a map is no value',
    await api.spawn(idle('nulled-label'), 'x', { labels: { team: null } }),
  )
  await api.kill(agent)
}

export async function emptyBodies(book: Book, api: Api): Promise<void> {
  const send = (path: string, headers = {}) => api.call('POST', path, undefined, { headers })
  book.ok('an empty body is {}, where no field is required', await send('/v1/agents', JSON_TYPE))
  book.ok('… also without a media type', await send('/v1/agents'))
  book.ok('… also for a whole fleet', await send('/v1/fleet', JSON_TYPE))
  book.invalid('where one is, it is missing', await send('/v1/agent/status', JSON_TYPE), { field: 'agentId' })
}

export async function references(book: Book, api: Api): Promise<void> {
  const write = (ref: object) =>
    api.post<Resource>('/v1/catalog/persona/referred', { payload: base64({ prompt: 'x' }), ref })
  book.ok('a ref may repeat kind and name of the path', await write({ kind: 'persona', name: 'referred' }))
  book.ok('… or one of them', await write({ name: 'referred' }))
  book.invalid('a ref to another kind is INVALID_ARGUMENT', await write({ kind: 'environment' }), {
    field: 'ref.kind',
  })
  book.invalid('a ref to another name is INVALID_ARGUMENT', await write({ name: 'other' }), {
    field: 'ref.name',
  })
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

export async function servedDocument(book: Book, api: Api): Promise<void> {
  const document = await api.get<{
    openapi: string
    components: { schemas: Record<string, { discriminator?: { propertyName: string } }> }
    paths: Record<string, { post?: { parameters: { name: string }[] } }>
  }>('/openapi.json', { key: null })
  const { openapi, components, paths } = document.json
  const headers = (path: string) => paths[path]?.post?.parameters.map(({ name }) => name)
  book.row('openapi.json is served without a credential', openapi.startsWith('3.1'), shown(document))
  book.equal('it declares Prefer', headers('/v1/agent/wait'), ['Prefer'])
  book.equal('it declares what a watch reads', headers('/v1/agent/watch'), [
    'Last-Event-ID',
    'Skein-Position',
  ])
  book.row('it declares Idempotency-Key', headers('/v1/agent/queue')?.includes('Idempotency-Key'))
  book.equal(
    'its timeline events have a discriminator',
    components.schemas['TimelineEvent']?.discriminator?.propertyName,
    'type',
  )
}
