import type { Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { UUID, keysOf } from '../../shapes.ts'
import { idle } from '../../simulated.ts'

export async function identity(book: Book, api: Api): Promise<void> {
  const me = (await api.whoami()).json
  const full = await api.fullIds()
  const first = await api.spawn(idle('root'), 'The work.', {
    expectedOutput: 'A result.',
    labels: { team: 'red' },
  })
  book.ok('spawn answers 200', first)
  book.equal('tenant, ownerProvider and account come from the caller', first.json.agentId, full(idle('root')))
  book.equal('spawn answers agentId, followUpId and dashboardUrl', keysOf(first.json), [
    'agentId',
    'dashboardUrl',
    'followUpId',
  ])
  book.equal(
    'an AgentId has exactly tenant, ownerProvider, account, agent, workspace',
    keysOf(first.json.agentId),
    ['account', 'agent', 'ownerProvider', 'tenant', 'workspace'],
  )
  book.row(
    'the first message has a followUpId: a UUID that the server minted',
    UUID.test(first.json.followUpId),
    first.json.followUpId,
  )
  const noWorkspace = await api.spawn({ workspace: '', agent: ['homeless'] }, 'x')
  const chosen = noWorkspace.json.agentId?.workspace
  book.row(
    'an empty workspace at spawn: the answer carries a concrete one',
    typeof chosen === 'string' && chosen !== '' && (await api.read('workspace', chosen)).status === 200,
    shown(noWorkspace),
  )
  const leftOut = await api.spawn({ agent: ['homeless-too'] }, 'x')
  book.row(
    'a workspace that is left out, too',
    typeof leftOut.json.agentId?.workspace === 'string' && leftOut.json.agentId.workspace !== '',
    shown(leftOut),
  )
  for (const answer of [noWorkspace, leftOut]) await api.kill(answer.json.agentId)
  const complete = await api.spawn({ ...full(idle('explicit')) }, 'x')
  book.equal(
    'an AgentId that is sent in full comes back as it is',
    complete.json.agentId,
    full(idle('explicit')),
  )
  const odd = { ...idle('odd'), account: 'Ada Lövelace.2' }
  book.equal(
    'what the caller sets is passed through exactly as sent (account)',
    (await api.spawn(odd, 'x')).json.agentId,
    { ...full(idle('odd')), account: odd.account },
  )
  book.ok(
    'identity is the tuple: the same path under two accounts are two agents',
    await api.spawn({ ...idle('odd') }, 'x'),
  )
  await api.write('profile', 'nightly', { description: 'An owner.' })
  const profiled = { ...idle('odd'), ownerProvider: 'PROVIDER_SERVICE_PROFILE', account: 'nightly' }
  book.equal(
    'what the caller sets is passed through exactly as sent (ownerProvider of a service profile)',
    (await api.spawn(profiled, 'x')).json.agentId,
    { ...full(idle('odd')), ownerProvider: 'PROVIDER_SERVICE_PROFILE', account: 'nightly' },
  )
  book.invalid(
    'a service profile that the catalog does not have cannot own an agent',
    await api.spawn(
      { ...idle('orphan'), ownerProvider: 'PROVIDER_SERVICE_PROFILE', account: 'no-such-profile' },
      'x',
    ),
  )
  book.notFound(
    'another tenant’s namespace is NOT_FOUND',
    await api.spawn({ ...idle('elsewhere'), tenant: { ...me.tenant, org: 'somebody-else' } }, 'x'),
  )
  book.notFound(
    'an agent of another tenant is NOT_FOUND',
    await api.status({ ...idle('root'), tenant: { ...me.tenant, org: 'somebody-else' } }),
  )
  book.ok(
    'a tenant of which only the organization is given is filled in',
    await api.status({ ...idle('root'), tenant: { org: me.tenant.org } }),
  )
  book.notFound(
    'the workspace is part of the identity',
    await api.status({ workspace: 'sample', agent: ['root'] }),
  )
  book.notFound('the owner is part of the identity', await api.status({ ...idle('root'), account: 'nobody' }))
  for (const agentId of [idle('root'), idle('explicit'), odd, idle('odd'), profiled]) await api.kill(agentId)
}
