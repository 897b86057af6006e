import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { RFC3339_UTC_MS, INT64_TEXT, keysOf, nameOf } from '../../shapes.ts'
import { idle } from '../../simulated.ts'

export async function listEntries(book: Book, api: Api): Promise<void> {
  const full = await api.fullIds()
  const first = await api.spawn(idle('listed'), 'The work.', {
    expectedOutput: 'A result.',
    labels: { team: 'red' },
  })
  await api.spawn(idle('listed', 'child'), 'x')
  await api.spawn(idle('listed', 'child2'), 'x')
  await api.spawn(idle('listed', 'child', 'grandchild'), 'x')
  await api.spawn(idle('listed-later'), 'x')
  const roots = await api.list()
  book.equal('the answer of the list has entries and nextPageToken', keysOf(roots.json), [
    'entries',
    'nextPageToken',
  ])
  const entry = roots.json.entries.find((each) => nameOf(each) === 'listed')
  const fields = [
    'agentId',
    'cachedInputTokens',
    'cost',
    'dashboardUrl',
    'inputTokens',
    'needsInput',
    'outputTokens',
    'phase',
    'progressAt',
    'repos',
    'totalTokens',
  ]
  book.row(
    'an entry has every field of the contract',
    fields.every((field) => field in (entry ?? {})),
    entry,
  )
  book.equal('agentId of an entry is complete', entry?.agentId, full(idle('listed')))
  book.equal('phase is the name of an enum value', entry?.phase, 'PHASE_PENDING')
  book.row('cost is a number', typeof entry?.cost === 'number', entry?.cost)
  book.row(
    'tokens are strings',
    [entry?.inputTokens, entry?.cachedInputTokens, entry?.outputTokens, entry?.totalTokens].every(
      (count) => typeof count === 'string' && INT64_TEXT.test(count),
    ),
    entry,
  )
  book.row(
    'repos is an array of strings',
    Array.isArray(entry?.repos) && entry.repos.every((repo) => typeof repo === 'string'),
    entry?.repos,
  )
  book.row(
    'progressAt is a date-time or empty',
    entry?.progressAt === '' || RFC3339_UTC_MS.test(entry?.progressAt ?? '-'),
    entry?.progressAt,
  )
  book.row('needsInput is a string', entry?.needsInput === '', entry?.needsInput)
  book.row(
    'dashboardUrl is the same as at spawn',
    entry?.dashboardUrl === first.json.dashboardUrl && /^https?:\/\//.test(entry.dashboardUrl),
    entry?.dashboardUrl,
  )
  book.row(
    'one level deep: without a parent no children are listed',
    roots.json.entries.every((each) => each.agentId.agent.length === 1),
  )
  const children = await api.list({ parentId: idle('listed') })
  book.equal(
    'with a parent its children are listed, and not theirs',
    children.json.entries.map(nameOf).sort(),
    ['listed/child', 'listed/child2'],
  )
  book.equal(
    'one level further down',
    (await api.list({ parentId: idle('listed', 'child') })).json.entries.map(nameOf),
    ['listed/child/grandchild'],
  )
  book.equal(
    'an agent without children has none',
    (await api.list({ parentId: idle('listed-later') })).json.entries,
    [],
  )
  book.notFound('a parent that does not exist is NOT_FOUND', await api.list({ parentId: idle('nobody') }))
  book.invalid(
    'a parentId without a workspace is INVALID_ARGUMENT, and the violation names parentId.workspace',
    await api.list({ parentId: { agent: ['listed'] } }),
    { field: 'parentId.workspace' },
  )
  book.row(
    'newest first',
    roots.json.entries.findIndex((each) => nameOf(each) === 'listed-later') <
      roots.json.entries.findIndex((each) => nameOf(each) === 'listed'),
  )
  await api.kill(idle('listed'))
  await api.kill(idle('listed-later'))
}
