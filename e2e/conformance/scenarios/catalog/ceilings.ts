import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import type { Bootstrap } from '../../installation.ts'

export async function ceilings(book: Book, api: Api, bootstrap: Bootstrap): Promise<void> {
  const operator = { key: await bootstrap('capped', 'operator') }
  const because = { justification: 'ticket 43' }
  const document = { quota: { liveAgents: 5 }, networks: ['none'] }
  book.denied(
    'an admin may not write a ceiling: PERMISSION_DENIED',
    await api.write('ceiling', 'default', document),
  )
  book.ok('an operator may', await api.write('ceiling', 'default', document, because, operator))
  book.invalid('it has one name', await api.write('ceiling', 'other', document, because, operator), {
    field: 'ref.name',
  })
  const quota = (liveAgents: number) => api.write('quota', 'default', { liveAgents }, because, operator)
  book.invalid('a quota above the ceiling is INVALID_ARGUMENT', await quota(6), { field: 'liveAgents' })
  book.ok('a quota below it is accepted', await quota(5))
  book.invalid(
    'an environment with a network that the ceiling does not permit is INVALID_ARGUMENT',
    await api.write('environment', 'open', { network: { policy: 'internet' } }, because, operator),
  )
}
