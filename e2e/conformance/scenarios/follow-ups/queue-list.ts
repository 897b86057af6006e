import type { FollowUp } from '../../answers.ts'
import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { idle } from '../../simulated.ts'
import { soon } from '../../until.ts'

interface Page {
  followUps: FollowUp[]
  nextPageToken: string
}

export async function queueList(book: Book, api: Api): Promise<void> {
  const agent = idle('queue-listed')
  await api.spawn(agent, 'The work.')
  const long = 'x'.repeat(5000)
  await api.queue(agent, { description: long, followUpId: 'long' })
  await api.queue(agent, { description: 'Later.', followUpId: 'later', deliverAt: soon(3_600_000) })
  const read = (more = {}) => api.post<Page>('/v1/agent/queue/list', { agentId: agent, ...more })
  const all = (await read()).json
  book.equal(
    'lists what is undelivered, oldest first, deferred messages too',
    all.followUps.map(({ description, state }) => [description.slice(0, 9), state]),
    [
      ['The work.', 'QUEUED'],
      ['xxxxxxxxx', 'QUEUED'],
      ['Later.', 'DEFERRED'],
    ],
  )
  book.equal('has each message in full', all.followUps[1]?.description, long)
  const first = (await read({ pageSize: 2 })).json
  const second = (await read({ pageSize: 2, pageToken: first.nextPageToken })).json
  book.equal(
    'has pages, without loss or repeat',
    [...first.followUps, ...second.followUps].map(({ followUpId }) => followUpId),
    all.followUps.map(({ followUpId }) => followUpId),
  )
  book.equal('the last page has no token', second.nextPageToken, '')
  book.invalid(
    'a page token that was never issued is INVALID_ARGUMENT',
    await read({ pageToken: 'nonsense' }),
  )
  await api.clear(agent)
  book.equal(
    'has only what a clear has left',
    (await read()).json.followUps.map(({ followUpId }) => followUpId),
    ['later'],
  )
  await api.kill(agent)
  book.equal('is empty once the agent has ended', (await read()).json.followUps, [])
  book.notFound(
    'the queue of an agent that does not exist is NOT_FOUND',
    await api.post('/v1/agent/queue/list', { agentId: idle('never-was') }),
  )
}
