import type { Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { nameOf } from '../../shapes.ts'
import type { Bootstrap } from '../../installation.ts'
import { idle } from '../../simulated.ts'

export async function operators(book: Book, api: Api, bootstrap: Bootstrap): Promise<void> {
  const operator = { key: await bootstrap('platform', 'operator') }
  const { tenant } = (await api.whoami()).json
  const ref = { tenant }
  await api.spawn(idle('overseen'), 'x')
  const guarded = { ...idle('overseen'), tenant, account: (await api.whoami()).json.account }
  book.invalid(
    'an operator’s write without a justification is INVALID_ARGUMENT',
    await api.write('persona', 'by-operator', {}, { ref }, operator),
    { field: 'justification' },
  )
  book.invalid(
    'a justification of blanks is none',
    await api.write('persona', 'by-operator', {}, { ref, justification: '  ' }, operator),
  )
  book.notFound('… and nothing was written', await api.read('persona', 'by-operator'))
  book.ok(
    'an operator’s write with a justification',
    await api.write('persona', 'by-operator', { prompt: 'o' }, { ref, justification: 'ticket 42' }, operator),
  )
  book.equal(
    'it is in the audit log of the tenant',
    (
      await api.get<{ entries: { justification: string; role: string }[] }>(
        '/v1/audit?kind=persona&name=by-operator',
      )
    ).json.entries.map(({ justification, role }) => [justification, role]),
    [['ticket 42', 'operator']],
  )
  book.ok(
    'an operator reads in a tenant that the query names',
    await api.get(
      `/v1/catalog/persona/default?ref.tenant.provider=${tenant.provider}&ref.tenant.org=${tenant.org}`,
      operator,
    ),
  )
  const seen = await api.status(guarded, operator)
  book.equal('an explicit tenant is passed through exactly as sent', seen.json.agentId?.tenant, tenant)
  const listed = await api.list({ tenant, account: '*' }, operator)
  book.row(
    'tenant of the list: an operator lists another tenant’s agents',
    listed.status === 200 && listed.json.entries.some((each) => nameOf(each) === 'overseen'),
    shown(listed),
  )
  book.ok(
    'an operator drives another tenant’s agents',
    await api.post(
      '/v1/agent/kill',
      { agentId: guarded },
      { ...operator, headers: { 'x-skein-justification': 'ticket 42' } },
    ),
  )
}
