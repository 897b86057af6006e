import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { historyOf } from '../../shapes.ts'
import { sample } from '../../simulated.ts'

export async function clearing(book: Book, api: Api): Promise<void> {
  const agent = sample('talker')
  const queued = async () => (await api.stateOf(agent)).followUps
  const first = (await queued())[0]?.followUpId ?? ''
  const cleared = await api.clear(agent)
  book.equal('clear answers the number of entries that it cleared, as a number', cleared.json, { cleared: 3 })
  book.equal(
    'clear leaves deferred messages',
    (await queued()).map(({ followUpId }) => followUpId),
    ['later'],
  )
  book.equal('nothing left to clear: 0', (await api.clear(agent)).json, { cleared: 0 })
  book.equal('a message that was cleared: removed is false', (await api.remove(agent, first)).json, {
    removed: false,
  })
  book.equal('clear does not touch the turn', (await api.stateOf(agent)).phase, 'PHASE_RUNNING')
  const events = await api.timeline(agent)
  book.equal('the timeline records QUEUED to CLEARED', historyOf(events, first), [
    'follow-up.queued',
    'follow-up.cleared',
  ])
  book.equal('the timeline records a removal', historyOf(events, 'my:own-id.2'), [
    'follow-up.queued',
    'follow-up.removed',
  ])
}
