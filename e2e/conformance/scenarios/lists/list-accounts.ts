import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { ownersOf } from '../../shapes.ts'
import { idle } from '../../simulated.ts'

export async function listAccounts(book: Book, api: Api): Promise<void> {
  const me = (await api.whoami()).json
  const odd = { ...idle('many-owners'), account: 'Ada Lövelace.2' }
  await api.write('profile', 'nightly', { description: 'An owner.' })
  const profiled = { ...idle('many-owners'), ownerProvider: 'PROVIDER_SERVICE_PROFILE', account: 'nightly' }
  for (const agentId of [odd, idle('many-owners'), profiled]) await api.spawn(agentId, 'x')
  const mine = `${me.ownerProvider}/${me.account}`
  await api.spawn({ ...idle('same-name'), account: 'nightly' }, 'x')
  book.equal('account left out: the caller’s own agents', ownersOf((await api.list()).json), [mine])
  book.equal('account empty: the caller’s own agents', ownersOf((await api.list({ account: '' })).json), [
    mine,
  ])
  const everyone = ownersOf((await api.list({ account: '*' })).json)
  book.row(
    'account *: every account',
    [
      mine,
      `${me.ownerProvider}/${odd.account}`,
      'PROVIDER_SERVICE_PROFILE/nightly',
      `${me.ownerProvider}/nightly`,
    ].every((owner) => everyone.includes(owner)),
    everyone,
  )
  book.equal(
    'a bare name is looked up under the caller’s own provider',
    ownersOf((await api.list({ account: odd.account })).json),
    [`${me.ownerProvider}/${odd.account}`],
  )
  book.equal(
    'a bare name never reaches another provider',
    ownersOf((await api.list({ account: 'nightly' })).json),
    [`${me.ownerProvider}/nightly`],
  )
  book.equal(
    'service_profile/<name>: one account under an explicit provider',
    ownersOf((await api.list({ account: 'service_profile/nightly' })).json),
    ['PROVIDER_SERVICE_PROFILE/nightly'],
  )
  book.equal(
    '<the caller’s provider>/<name>',
    ownersOf((await api.list({ account: 'codehost_oauth/nightly' })).json),
    ['PROVIDER_CODEHOST_OAUTH/nightly'],
  )
  book.equal(
    'an account that nobody has: no entries',
    (await api.list({ account: 'nobody-at-all' })).json.entries,
    [],
  )
  book.invalid('an unknown provider name is INVALID_ARGUMENT', await api.list({ account: 'magic/x' }), {
    field: 'account',
  })
  const other = { key: await api.keyFor('lister', { account: odd.account, role: 'member' }) }
  book.equal('for another caller the default is theirs', ownersOf((await api.list({}, other)).json), [
    `${me.ownerProvider}/${odd.account}`,
  ])
  const profile = {
    key: await api.keyFor('nightly', {
      account: 'nightly',
      ownerProvider: 'PROVIDER_SERVICE_PROFILE',
      role: 'member',
    }),
  }
  book.equal(
    'a bare name of a service profile’s caller is under its own provider',
    ownersOf((await api.list({ account: 'nightly' }, profile)).json),
    ['PROVIDER_SERVICE_PROFILE/nightly'],
  )
  book.equal(
    'a service profile’s caller spawns as itself',
    (({ ownerProvider, account }) => [ownerProvider, account])(
      (await api.spawn(idle('by-profile'), 'x', {}, profile)).json.agentId,
    ),
    ['PROVIDER_SERVICE_PROFILE', 'nightly'],
  )

  book.ok('the caller’s own tenant may be named', await api.list({ tenant: me.tenant }))
  book.notFound(
    'another tenant is NOT_FOUND',
    await api.list({ tenant: { ...me.tenant, org: 'somebody-else' } }),
  )
  for (const agentId of [
    odd,
    idle('many-owners'),
    profiled,
    { ...idle('same-name'), account: 'nightly' },
    { ...idle('by-profile'), ownerProvider: 'PROVIDER_SERVICE_PROFILE', account: 'nightly' },
  ])
    await api.kill(agentId)
}
