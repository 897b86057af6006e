import type { Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { idle } from '../../simulated.ts'

export async function roles(book: Book, api: Api): Promise<void> {
  const viewer = { key: await api.keyFor('a-viewer', { account: 'vera', role: 'viewer' }) }
  const member = { key: await api.keyFor('a-member', { account: 'mel', role: 'member' }) }
  const runner = {
    key: await api.keyFor('a-runner', { account: 'robot', role: 'runner', pools: ['default'] }),
  }
  await api.spawn(idle('owned-by-admin'), 'x')
  const theirs = { ...idle('owned-by-admin'), account: (await api.whoami()).json.account }
  book.ok('a viewer reads: whoami', await api.whoami(viewer))
  book.ok('a viewer reads: the list', await api.list({}, viewer))
  book.ok('a viewer reads: the status of another account’s agent', await api.status(theirs, viewer))
  book.ok('a viewer reads: the catalog', await api.read('persona', 'default', viewer))
  book.denied(
    'a viewer may not spawn: PERMISSION_DENIED',
    await api.spawn(idle('by-viewer'), 'x', {}, viewer),
  )
  book.denied(
    'a viewer may not queue: PERMISSION_DENIED',
    await api.queue(theirs, { description: 'x' }, viewer),
  )
  book.denied('a viewer may not remove: PERMISSION_DENIED', await api.remove(theirs, 'x', viewer))
  book.denied('a viewer may not clear: PERMISSION_DENIED', await api.clear(theirs, viewer))
  book.denied('a viewer may not stop: PERMISSION_DENIED', await api.stop(theirs, { runId: '1' }, viewer))
  book.denied('a viewer may not kill: PERMISSION_DENIED', await api.kill(theirs, viewer))
  book.denied(
    'a viewer may not write the catalog: PERMISSION_DENIED',
    await api.write('persona', 'by-viewer', {}, {}, viewer),
  )
  book.denied(
    'what is not allowed is said before what is wrong with the body',
    await api.post('/v1/agent/spawn', { nonsense: 1 }, viewer),
  )
  book.ok('a member spawns its own', await api.spawn(idle('by-member'), 'x', {}, member))
  book.ok('a member drives its own', await api.queue(idle('by-member'), { description: 'x' }, member))
  book.denied(
    'a member may not queue for another’s agent: PERMISSION_DENIED',
    await api.queue(theirs, { description: 'x' }, member),
  )
  book.denied('a member may not kill another’s agent: PERMISSION_DENIED', await api.kill(theirs, member))
  book.denied(
    'a member may not spawn for another account: PERMISSION_DENIED',
    await api.spawn({ ...idle('for-admin'), account: theirs.account }, 'x', {}, member),
  )
  book.denied(
    'a member may not write the catalog: PERMISSION_DENIED',
    await api.write('persona', 'by-member', {}, {}, member),
  )
  book.denied('a member may not read the audit: PERMISSION_DENIED', await api.get('/v1/audit', member))
  book.ok(
    'an admin drives every agent of the tenant',
    await api.queue({ ...idle('by-member'), account: 'mel' }, { description: 'x' }),
  )
  book.ok('a runner may ask who it is', await api.whoami(runner))
  book.denied('a runner may read nothing else: PERMISSION_DENIED', await api.list({}, runner))
  book.denied(
    'an admin may not make an operator’s key: PERMISSION_DENIED',
    await api.write('token', 'op', { account: 'op', role: 'operator' }),
  )
  const nobodys = await api.kill({ ...idle('never-was'), account: theirs.account }, member)
  book.row(
    'a member asking for an agent of another account that is not there: NOT_FOUND or PERMISSION_DENIED',
    [5, 7].includes(nobodys.json.code ?? 0),
    shown(nobodys),
  )
  await api.kill(theirs)
  await api.kill({ ...idle('by-member'), account: 'mel' })
}
