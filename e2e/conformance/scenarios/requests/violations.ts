import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { violations } from '../../shapes.ts'
import { sample } from '../../simulated.ts'

export async function violationsOfRequests(book: Book, api: Api): Promise<void> {
  book.invalid(
    'an unknown request field is INVALID_ARGUMENT and named',
    await api.list({ includeTerminals: true }),
    { field: 'includeTerminals' },
  )
  book.invalid(
    'an unknown nested field is INVALID_ARGUMENT and named',
    await api.status({ ...sample('x'), agents: ['x'] }),
    { field: 'agentId.agents' },
  )
  book.invalid(
    'an unknown field in a task is INVALID_ARGUMENT and named',
    await api.queue(sample('x'), { tasks: [{ subject: 's', sbject: '' }] }),
    { field: 'tasks[0].sbject' },
  )
  book.invalid(
    'field names are lowerCamelCase: snake_case is not taken',
    await api.list({ include_terminal: true }),
    { field: 'include_terminal' },
  )
  book.invalid('field names are case-sensitive', await api.list({ IncludeTerminal: true }), {
    field: 'IncludeTerminal',
  })
  book.invalid('a field of a wrong type is INVALID_ARGUMENT', await api.list({ includeTerminal: 'true' }), {
    field: 'includeTerminal',
  })
  const both = await api.list({ includeTerminal: 'yes', account: 7, pageSize: -1 })
  book.row(
    'all violations are listed at once',
    ['includeTerminal', 'account', 'pageSize'].every((field) =>
      violations(both.json).some((v) => v.field === field),
    ),
    both.text,
  )
  book.row(
    'the details name their types as google.rpc does',
    both.json.details?.every((d) => /^type\.googleapis\.com\/google\.rpc\.[A-Z]/.test(d['@type'])),
    both.text,
  )
  book.invalid(
    'an unknown enum name is INVALID_ARGUMENT',
    await api.status({ ...sample('x'), ownerProvider: 'PROVIDER_MAGIC' }),
    { field: 'agentId.ownerProvider' },
  )
  book.invalid(
    'an enum as a number is INVALID_ARGUMENT',
    await api.status({ ...sample('x'), ownerProvider: 1 }),
  )
  book.invalid(
    'an enum name in lower case is INVALID_ARGUMENT',
    await api.status({ ...sample('x'), ownerProvider: 'provider_codehost_oauth' }),
  )
  book.ok(
    'PROVIDER_UNSPECIFIED is accepted as not set',
    await api.list({ tenant: { provider: 'PROVIDER_UNSPECIFIED' } }),
  )
  book.invalid('an unknown query parameter is INVALID_ARGUMENT', await api.get('/v1/whoami?verbose=1'))
}

export async function requestIds(book: Book, api: Api): Promise<void> {
  const me = await api.whoami()
  const minted = me.headers.get('x-request-id')
  book.row('every answer has an x-request-id', typeof minted === 'string' && minted !== '')
  book.equal(
    'a well-formed x-request-id is accepted over',
    (await api.whoami({ headers: { 'x-request-id': 'conformance-1' } })).headers.get('x-request-id'),
    'conformance-1',
  )
}
