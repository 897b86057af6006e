import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'

const query = (provider?: string, org?: string) => {
  const named = { 'ref.tenant.provider': provider, 'ref.tenant.org': org }
  const given = Object.entries(named).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `/v1/catalog/persona/one?${new URLSearchParams(given).toString()}`
}

export async function catalogTenants(book: Book, api: Api): Promise<void> {
  const { tenant } = (await api.whoami()).json
  book.ok(
    'a read with the caller’s own tenant in the query',
    await api.get(query(tenant.provider, tenant.org)),
  )
  book.ok('a read with the organization alone', await api.get(query(undefined, tenant.org)))
  book.ok('a read with the provider alone', await api.get(query(tenant.provider)))
  book.notFound(
    'a read in another organization is NOT_FOUND',
    await api.get(query(tenant.provider, 'somebody-else')),
  )
  book.notFound(
    'a read under another provider is NOT_FOUND: providers never mix',
    await api.get(query('PROVIDER_IDP_OIDC', tenant.org)),
  )
  book.invalid(
    'a provider that is none is INVALID_ARGUMENT',
    await api.get(query('CODEHOST_APP', tenant.org)),
  )
  book.ok(
    'a write with the caller’s own tenant in ref',
    await api.write('persona', 'one', { prompt: 'x' }, { ref: { tenant } }),
  )
  book.ok('a write with an empty ref', await api.write('persona', 'one', { prompt: 'x' }, { ref: {} }))
  book.notFound(
    'a write to another tenant is NOT_FOUND',
    await api.write(
      'persona',
      'one',
      { prompt: 'x' },
      { ref: { tenant: { ...tenant, org: 'somebody-else' } } },
    ),
  )
  const history = (
    await api.get<{ entries: { generation: string; justification: string }[] }>(
      '/v1/catalog/persona/one/history',
    )
  ).json.entries
  book.row(
    'the history has every generation, newest first',
    history.at(-1)?.generation === '1' &&
      history.every(
        (entry, index) =>
          index === 0 || BigInt(history[index - 1]?.generation ?? 0) === BigInt(entry.generation) + 1n,
      ),
    history.map((entry) => entry.generation),
  )
  book.equal('… and the justification of each', history.at(-1)?.justification, 'because of conformance')
}
