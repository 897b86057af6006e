import type { Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { UUID, keysOf } from '../../shapes.ts'
import { plays, SLEEPS, sample } from '../../simulated.ts'
import { soon } from '../../until.ts'

export async function queueing(book: Book, api: Api): Promise<void> {
  const agent = sample('talker')
  const spawned = await api.spawn(agent, `Sleep.${plays(...SLEEPS)}`)
  await api.asleep(agent)
  const queued = async () => (await api.stateOf(agent)).followUps
  const first = await api.queue(agent, { description: 'First.' })
  book.equal('queue-add to a running agent answers exactly followUpId', keysOf(first.json), ['followUpId'])
  book.row(
    'a followUpId that is not supplied is a UUID that the server mints',
    UUID.test(first.json.followUpId),
    first.json.followUpId,
  )
  const own = await api.queue(agent, { description: 'Second.', followUpId: 'my:own_id.2'.replace('_', '-') })
  book.equal('a followUpId that is supplied is the effective one', own.json, { followUpId: 'my:own-id.2' })
  const pending = await queued()
  book.equal(
    'a message for a running agent is QUEUED, in order',
    pending.map(({ followUpId, state }) => [followUpId, state]),
    [
      [first.json.followUpId, 'QUEUED'],
      ['my:own-id.2', 'QUEUED'],
    ],
  )
  book.equal('the status shows followUpId, description, state, deliverAt, createTime', keysOf(pending[0]), [
    'createTime',
    'deliverAt',
    'description',
    'followUpId',
    'state',
  ])
  book.equal(
    'the same followUpId again is answered the same way',
    (await api.queue(agent, { description: 'Other words.', followUpId: 'my:own-id.2' })).json,
    { followUpId: 'my:own-id.2' },
  )
  book.equal(
    '… and queues nothing',
    (await queued()).map(({ description }) => description),
    ['First.', 'Second.'],
  )
  const empty = await api.queue(agent, { description: 'Third.', followUpId: '' })
  book.row(
    'an empty followUpId is one that is not supplied',
    UUID.test(empty.json.followUpId ?? ''),
    shown(empty),
  )
  book.invalid(
    'a followUpId with a blank is INVALID_ARGUMENT',
    await api.queue(agent, { description: 'x', followUpId: 'a b' }),
    { field: 'followUpId' },
  )
  book.invalid(
    'a followUpId of 129 characters is INVALID_ARGUMENT',
    await api.queue(agent, { description: 'x', followUpId: 'x'.repeat(129) }),
    { field: 'followUpId' },
  )
  book.ok(
    'a followUpId of 128 characters is accepted',
    await api.queue(agent, { description: 'Long.', followUpId: 'x'.repeat(128) }),
  )

  book.equal(
    'queue-remove of a queued message: removed is true',
    (await api.remove(agent, 'my:own-id.2')).json,
    { removed: true },
  )
  book.equal('again: removed is false (idempotent)', (await api.remove(agent, 'my:own-id.2')).json, {
    removed: false,
  })
  book.equal('never queued: removed is false', (await api.remove(agent, 'never-queued')).json, {
    removed: false,
  })
  book.equal('already delivered: removed is false', (await api.remove(agent, spawned.json.followUpId)).json, {
    removed: false,
  })
  book.row(
    'it is gone from the queue',
    !(await queued()).some(({ followUpId }) => followUpId === 'my:own-id.2'),
  )
  book.invalid(
    'queue-remove without a followUpId is INVALID_ARGUMENT',
    await api.post('/v1/agent/queue/remove', { agentId: agent }),
    { field: 'followUpId' },
  )
  const later = soon(3_600_000)
  await api.queue(agent, { description: 'Later.', followUpId: 'later', deliverAt: later })
  book.equal(
    'a deferred message waits as DEFERRED, beside queued ones',
    (await queued()).find(({ followUpId }) => followUpId === 'later'),
    {
      followUpId: 'later',
      description: 'Later.',
      state: 'DEFERRED',
      deliverAt: later,
      createTime: (await queued()).find(({ followUpId }) => followUpId === 'later')?.createTime,
    },
  )
}
