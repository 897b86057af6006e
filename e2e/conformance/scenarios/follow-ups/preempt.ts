import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { historyOf } from '../../shapes.ts'
import { plays, sample } from '../../simulated.ts'
import { until } from '../../until.ts'

export async function preempting(book: Book, api: Api): Promise<void> {
  const agent = sample('talker')
  const queued = async () => (await api.stateOf(agent)).followUps
  const olds = [
    await api.queue(agent, { description: 'Old 1.' }),
    await api.queue(agent, { description: 'Old 2.' }),
  ].map(({ json }) => json.followUpId)
  const runBefore = (await api.stateOf(agent)).runCount
  const jump = await api.queue(agent, {
    description: `Now this.${plays({ say: 'At once.', shell: 'true' }, { delayMs: 600_000, say: 'x' })}`,
    preempt: true,
    followUpId: 'jump',
  })
  book.equal('preempt answers followUpId', jump.json, { followUpId: 'jump' })
  book.equal(
    'preempt discards what is queued, and only this message is',
    (await queued())
      .filter(({ state }) => state === 'QUEUED')
      .map(({ followUpId }) => followUpId)
      .filter((id) => id !== 'jump'),
    [],
  )
  const nextRun = String(BigInt(runBefore) + 1n)
  const jumped = await api.asleep(agent, nextRun)
  book.row(
    'preempt interrupts the turn in flight, and this message runs next',
    jumped !== undefined,
    (await api.stateOf(agent)).run,
  )
  const events = await api.timeline(agent)
  book.equal(
    'the timeline records QUEUED to CLEARED for what preempt discarded',
    olds.map((id) => historyOf(events, id)),
    [
      ['follow-up.queued', 'follow-up.cleared'],
      ['follow-up.queued', 'follow-up.cleared'],
    ],
  )
  book.equal(
    'the preempted run ended as interrupted',
    events.find(({ type, runId }) => type === 'run.ended' && runId === runBefore)?.reason,
    'interrupted',
  )
  book.equal(
    'the preempting message was delivered to the very next run',
    events.find(({ type, followUpId }) => type === 'follow-up.delivered' && followUpId === 'jump')?.runId,
    nextRun,
  )
  book.equal(
    'preempt leaves deferred messages',
    (await queued()).map(({ followUpId }) => followUpId),
    ['later'],
  )
  book.equal('queue-remove of a deferred message: removed is true', (await api.remove(agent, 'later')).json, {
    removed: true,
  })

  // A deferred message that becomes due during a turn joins the normal queue.
  await api.queue(agent, {
    description: 'Soon.',
    followUpId: 'soon',
    deliverAt: new Date(Date.now() + 1500).toISOString(),
  })
  const due = await until(
    async () => (await queued()).find(({ followUpId, state }) => followUpId === 'soon' && state === 'QUEUED'),
    10_000,
  )
  book.row('deferred → QUEUED when its time comes, also during a turn', due !== undefined, await queued())
  book.equal('… where a clear counts it', (await api.clear(agent)).json, { cleared: 1 })
}
