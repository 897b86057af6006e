import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { idle } from '../../simulated.ts'
import { soon, until } from '../../until.ts'

const DAY_MS = 86_400_000

export async function deferralLimits(book: Book, api: Api): Promise<void> {
  const agent = idle('far-off')
  await api.spawn(agent, 'x')
  const defers = (deliverAt: unknown, more = {}) => api.queue(agent, { description: 'x', deliverAt, ...more })
  book.invalid('deliverAt in the past is INVALID_ARGUMENT', await defers(soon(-1000)), { field: 'deliverAt' })
  book.invalid('deliverAt long past is INVALID_ARGUMENT', await defers('1970-01-01T00:00:00Z'), {
    field: 'deliverAt',
  })
  // By the service's own clock, which may be behind ours.
  const [queued] = (await api.stateOf(agent)).followUps
  await api.clear(agent)
  book.invalid('deliverAt that has just passed is INVALID_ARGUMENT', await defers(queued?.createTime), {
    field: 'deliverAt',
  })
  book.invalid(
    'deliverAt more than 30 days ahead is INVALID_ARGUMENT',
    await defers(soon(30 * DAY_MS + 60_000)),
    { field: 'deliverAt' },
  )
  book.invalid('deliverAt a year ahead is INVALID_ARGUMENT', await defers(soon(365 * DAY_MS)), {
    field: 'deliverAt',
  })
  const far = await defers(soon(30 * DAY_MS - 10_000))
  book.ok('deliverAt just under 30 days ahead is accepted', far)
  book.invalid('deliverAt with preempt is INVALID_ARGUMENT', await defers(soon(60_000), { preempt: true }))
  book.ok(
    'deliverAt with preempt: false is accepted',
    await defers(soon(60_000), { preempt: false, followUpId: 'not-preempting' }),
  )
  for (const [name, value] of [
    ['a word', 'tomorrow'],
    ['a number', 1_900_000_000],
    ['without an offset', '2030-01-01T00:00:00'],
    ['a date alone', '2030-01-01'],
    ['the 30th of February', '2030-02-30T00:00:00Z'],
  ])
    book.invalid(`deliverAt that is ${name} is INVALID_ARGUMENT`, await defers(value), { field: 'deliverAt' })
  book.equal(
    'clear leaves all of them',
    [(await api.clear(agent)).json.cleared, (await api.stateOf(agent)).followUps.length],
    [0, 2],
  )
  await api.kill(agent)
  book.notFound('deliverAt to an agent that has ended is NOT_FOUND', await defers(soon(60_000)))
}

export async function buildsWithoutDeferral(book: Book, api: Api): Promise<void> {
  await api.write('pool', 'old-build', { build: { name: 'old', features: [] } })
  await api.write('workspace', 'old', { pool: 'old-build' })
  const old = { workspace: 'old', agent: ['old-timer'] }
  await api.spawn(old, 'x')
  const lacking = await api.queue(old, { description: 'x', deliverAt: soon(60_000) })
  book.precondition('an agent of a build without deferral refuses deliverAt: FAILED_PRECONDITION', lacking)
  book.equal('the status says which build it is', (await api.stateOf(old)).build, 'old')
  book.ok('… without deliverAt it takes the message', await api.queue(old, { description: 'x' }))
  book.invalid(
    '… and a deliverAt that is wrong anyway is INVALID_ARGUMENT',
    await api.queue(old, { description: 'x', deliverAt: soon(-1000) }),
  )
  await api.kill(old)
}

export async function droppedAtTheEnd(book: Book, api: Api): Promise<void> {
  const gone = idle('gone')
  await api.spawn(gone, 'x')
  await api.queue(gone, { description: 'x', followUpId: 'too-late', deliverAt: soon(1500) })
  await api.kill(gone)
  const dropped = await until(
    async () =>
      (await api.timeline(gone)).find(
        ({ type, followUpId }) => type === 'follow-up.dropped' && followUpId === 'too-late',
      ),
    10_000,
  )
  book.row(
    'a deferred message to an agent that has ended by its time is dropped, with a timeline entry',
    dropped !== undefined,
  )
  book.equal('what was dropped: removed is false', (await api.remove(gone, 'too-late')).json, {
    removed: false,
  })
}
