import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import type { Bootstrap } from '../../installation.ts'
import { AGENT_OPERATIONS } from '../../operations.ts'
import { idle } from '../../simulated.ts'

export async function tenants(book: Book, api: Api, bootstrap: Bootstrap): Promise<void> {
  const stranger = { key: await bootstrap('stranger', 'admin') }
  const { tenant } = (await api.whoami()).json
  const ref = { tenant }
  book.equal('another tenant’s caller has another tenant', (await api.whoami(stranger)).json.tenant, {
    provider: 'PROVIDER_CODEHOST_APP',
    org: 'stranger',
  })
  await api.spawn(idle('guarded'), 'x')
  const guarded = { ...idle('guarded'), tenant, account: (await api.whoami()).json.account }
  for (const [path, more] of AGENT_OPERATIONS)
    book.notFound(
      `${path} of another tenant’s agent is NOT_FOUND`,
      await api.post(path, { agentId: guarded, ...more }, stranger),
    )
  book.notFound('the list of another tenant is NOT_FOUND', await api.list({ tenant, account: '*' }, stranger))
  book.equal(
    'account * does not reach beyond the tenant',
    (await api.list({ account: '*' }, stranger)).json.entries,
    [],
  )
  await api.write('persona', 'guarded', { prompt: 'secret' })
  book.notFound(
    'another tenant’s resource is NOT_FOUND',
    await api.get(
      `/v1/catalog/persona/guarded?ref.tenant.provider=${tenant.provider}&ref.tenant.org=${tenant.org}`,
      stranger,
    ),
  )
  book.notFound('nor is it there under the same name', await api.read('persona', 'guarded', stranger))
  book.notFound(
    'a write to another tenant is NOT_FOUND',
    await api.write('persona', 'guarded', {}, { ref }, stranger),
  )
  book.ok(
    'the same name in another tenant is another resource',
    await api.write('persona', 'guarded', { prompt: 'other' }, { ifGenerationMatch: '0' }, stranger),
  )
  book.equal('… and changes nothing here', (await api.readDocument('persona', 'guarded')).prompt, 'secret')
  await api.kill(idle('guarded'))
}
