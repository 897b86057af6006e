import type { Api } from '../api.ts'
import { shown, type Book } from '../book.ts'
import { idle } from '../simulated.ts'

export async function children(book: Book, api: Api): Promise<void> {
  await api.spawn(idle('parent'), 'x')
  const child = await api.spawn(idle('parent', 'child'), 'x')
  book.equal('a child’s path is its parent’s plus one element', child.json.agentId?.agent, [
    'parent',
    'child',
  ])
  book.equal(
    'a child without a workspace gets its parent’s',
    (await api.spawn({ agent: ['parent', 'child2'] }, 'x')).json.agentId?.workspace,
    'idle',
  )
  book.ok('a child can have children', await api.spawn(idle('parent', 'child', 'grandchild'), 'x'))
  book.precondition(
    'a child without a live parent is FAILED_PRECONDITION',
    await api.spawn(idle('nobody', 'child'), 'x'),
  )
  book.invalid('nine levels are INVALID_ARGUMENT', await api.spawn(idle(...'abcdefghi'.split('')), 'x'))
  for (const bad of ['Upper', 'under_score', '-dash', 'dash-', 'a b', 'x'.repeat(64), ''])
    book.invalid(
      `the name ${JSON.stringify(bad.slice(0, 12))} is INVALID_ARGUMENT`,
      await api.spawn(idle(bad), 'x'),
    )
  book.invalid(
    'a spawn without a description is INVALID_ARGUMENT',
    await api.post('/v1/agent/spawn', { agentId: idle('mute') }),
    { field: 'description' },
  )
  book.error('spawning over a live agent is ALREADY_EXISTS', await api.spawn(idle('parent'), 'x'), 6, 409)
  const nameless = await api.spawn({ workspace: 'idle' }, 'x')
  book.row(
    'an empty path gets a name that the service mints',
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(nameless.json.agentId?.agent?.[0] ?? ''),
    shown(nameless),
  )
  await api.kill(nameless.json.agentId)
  await api.kill(idle('parent'))
}
