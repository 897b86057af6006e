import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { historyOf } from '../../shapes.ts'
import { plays, sample, idle } from '../../simulated.ts'
import { until } from '../../until.ts'

export async function preemptAtRest(book: Book, api: Api): Promise<void> {
  const agent = sample('talker')
  const calm = await api.queue(agent, { description: `Wake.${plays({ say: 'Up.' })}`, preempt: true })
  book.ok('preempt of an agent at rest is accepted', calm)
  await until(async () =>
    historyOf(await api.timeline(agent), calm.json.followUpId).includes('follow-up.delivered')
      ? true
      : undefined,
  )
  book.equal(
    '… and its message runs as the next turn',
    historyOf(await api.timeline(agent), calm.json.followUpId),
    ['follow-up.queued', 'follow-up.delivered'],
  )
  await api.rested(agent)
  await api.kill(agent)
  book.notFound(
    'queue-add to an agent that was killed is NOT_FOUND',
    await api.queue(agent, { description: 'x' }),
  )
}

export async function preemptBeforeStart(book: Book, api: Api): Promise<void> {
  const slow = idle('starting')
  const start = await api.spawn(slow, 'The work.')
  const push = await api.queue(slow, { description: 'Rather this.', preempt: true })
  const state = await api.stateOf(slow)
  book.row(
    'preempt before the run has started replaces what is queued',
    push.status === 200 &&
      state.phase === 'PHASE_PENDING' &&
      state.followUps.map(({ followUpId }) => followUpId).join() === push.json.followUpId,
    state.followUps,
  )
  book.equal('… the first message is gone', (await api.remove(slow, start.json.followUpId)).json, {
    removed: false,
  })
  await api.kill(slow)
}

export async function tasksAlone(book: Book, api: Api): Promise<void> {
  const silent = idle('silent')
  await api.spawn(silent, 'x')
  book.ok('a follow-up may bring tasks alone', await api.queue(silent, { tasks: [{ subject: 'Do it' }] }))
  await api.kill(silent)
}
