import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { keysOf } from '../../shapes.ts'
import { AGENT_OPERATIONS, ENDPOINTS } from '../../operations.ts'
import { sample } from '../../simulated.ts'

export async function requests(book: Book, api: Api): Promise<void> {
  const me = await api.whoami()
  book.ok('GET /v1/whoami answers 200', me)
  book.row(
    'the media type of answers is application/json',
    /^application\/json(;|$)/.test(me.headers.get('content-type') ?? ''),
  )
  book.row(
    'whoami names the caller: tenant {provider, org}, ownerProvider, account',
    keysOf(me.json.tenant).join() === 'org,provider' &&
      me.json.tenant.provider?.startsWith('PROVIDER_') &&
      me.json.ownerProvider?.startsWith('PROVIDER_') &&
      me.json.account !== '',
    me.text,
  )
  book.equal('whoami has exactly tenant, ownerProvider, account, role, token, expireTime', keysOf(me.json), [
    'account',
    'expireTime',
    'ownerProvider',
    'role',
    'tenant',
    'token',
  ])

  for (const [method, path] of ENDPOINTS) {
    const body = method === 'POST' ? {} : undefined
    book.unauthenticated(
      `${method} ${path} without a credential is UNAUTHENTICATED`,
      await api.call(method, path, body, { key: null }),
    )
  }
  for (const [path, more] of AGENT_OPERATIONS) {
    book.notFound(
      `${path} of an agent that does not exist is NOT_FOUND`,
      await api.post(path, { agentId: sample('never-was'), ...more }),
    )
  }
  for (const [path, more] of AGENT_OPERATIONS) {
    book.invalid(`${path} without an agentId is INVALID_ARGUMENT`, await api.post(path, more), {
      field: 'agentId',
    })
  }
  book.invalid('an agentId without a path is INVALID_ARGUMENT', await api.status({ workspace: 'sample' }))
  book.invalid(
    'an agentId with an empty path is INVALID_ARGUMENT',
    await api.status({ workspace: 'sample', agent: [] }),
  )
  book.invalid(
    'an agent path that is a string, not an array, is INVALID_ARGUMENT',
    await api.status({ workspace: 'sample', agent: 'x' }),
  )

  book.ok(
    'a request of application/json with a charset is accepted',
    await api.call('POST', '/v1/agents', undefined, {
      raw: '{}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    }),
  )
  book.error(
    'another media type is 415 INVALID_ARGUMENT',
    await api.call('POST', '/v1/agents', undefined, { raw: '{}', headers: { 'content-type': 'text/plain' } }),
    3,
    415,
  )
  book.error(
    'a form is 415 INVALID_ARGUMENT',
    await api.call('POST', '/v1/agents', undefined, {
      raw: 'account=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    3,
    415,
  )
  book.invalid(
    'malformed JSON is INVALID_ARGUMENT',
    await api.call('POST', '/v1/agents', undefined, { raw: '{"account":' }),
  )
  book.invalid('a JSON array as body is INVALID_ARGUMENT', await api.post('/v1/agents', []))
  book.invalid('a JSON string as body is INVALID_ARGUMENT', await api.post('/v1/agents', 'x'))
  book.invalid(
    'a body that is not UTF-8 is INVALID_ARGUMENT',
    await api.call('POST', '/v1/agents', undefined, {
      raw: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    }),
  )
  book.invalid(
    'no body at all, where an agent has to be named, is INVALID_ARGUMENT',
    await api.call('POST', '/v1/agent/status', undefined, {
      headers: { 'content-type': 'application/json' },
    }),
  )
}
