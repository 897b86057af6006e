import type { Entry } from '../../answers.ts'
import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { nameOf, ownersOf } from '../../shapes.ts'
import { idle } from '../../simulated.ts'

const names = ({ json }: { json: { entries: Entry[] } }) => json.entries.map(nameOf)

export async function listFilters(book: Book, api: Api): Promise<void> {
  const me = (await api.whoami()).json
  const mine = `${me.ownerProvider}/${me.account}`
  // A label of its own: other scenarios run at the same time.
  await api.spawn(idle('filtered'), 'x', { labels: { team: 'filtered' } })
  await api.spawn(idle('filtered', 'child'), 'x')
  await api.spawn(idle('filtered', 'child2'), 'x')
  await api.spawn(idle('filtered-ended'), 'x')
  await api.kill(idle('filtered-ended'))
  book.row('terminal agents are left out', !names(await api.list()).includes('filtered-ended'))
  const wide = await api.list({ includeTerminal: true })
  book.row(
    'includeTerminal also includes them',
    names(wide).includes('filtered-ended') && names(wide).includes('filtered'),
    names(wide),
  )
  book.equal('includeTerminal does not change the account scope', ownersOf(wide.json), [mine])
  book.equal(
    'the phase of a killed agent',
    wide.json.entries.find((each) => nameOf(each) === 'filtered-ended')?.phase,
    'PHASE_CANCELED',
  )
  await api.kill(idle('filtered', 'child2'))
  book.equal(
    'includeTerminal goes for children, too',
    [
      names(await api.list({ parentId: idle('filtered') })),
      names(await api.list({ parentId: idle('filtered'), includeTerminal: true })).sort(),
    ],
    [['filtered/child'], ['filtered/child', 'filtered/child2']],
  )
  book.equal('labelSelector', names(await api.list({ labelSelector: 'team=filtered' })), ['filtered'])
  book.row(
    'phases are a filter',
    names(await api.list({ phases: ['PHASE_CANCELED'], includeTerminal: true })).includes('filtered-ended') &&
      !names(await api.list({ phases: ['PHASE_WAITING'] })).includes('filtered'),
  )
  const page = await api.list({ pageSize: 1, account: '*' })
  const next = await api.list({ pageSize: 1, account: '*', pageToken: page.json.nextPageToken })
  book.row(
    'pages: pageSize and pageToken',
    page.json.entries.length === 1 &&
      page.json.nextPageToken !== '' &&
      next.json.entries.length === 1 &&
      JSON.stringify(next.json.entries[0]?.agentId) !== JSON.stringify(page.json.entries[0]?.agentId),
    next.text,
  )
  book.invalid(
    'a page token that was never issued is INVALID_ARGUMENT',
    await api.list({ pageToken: 'nonsense' }),
  )
  await api.kill(idle('filtered'))
}
