import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { plays, sample } from '../../simulated.ts'
import { until } from '../../until.ts'

export async function batches(book: Book, api: Api): Promise<void> {
  const agent = sample('talker')
  const { runCount } = await api.stateOf(agent)
  const ids = ['m1', 'm2', 'm3', 'm4']
  await api.queue(agent, { description: 'm1', followUpId: 'm1' })
  await api.queue(agent, {
    description: `m2${plays({ say: 'b', shell: 'true' }, { say: 'rest' })}`,
    followUpId: 'm2',
  })
  await api.queue(agent, { description: 'm3', followUpId: 'm3', reasoningEffort: 'high' })
  await api.queue(agent, {
    description: `m4${plays({ say: 'c', shell: 'true' }, { say: 'rest' })}`,
    followUpId: 'm4',
  })
  await api.stop(agent, { runId: runCount })
  await until(async () => {
    const state = await api.stateOf(agent)
    return state.phase === 'PHASE_WAITING' && state.followUps.length === 0
  })
  const events = await api.timeline(agent)
  const runs = ids.map(
    (id) => events.find(({ type, followUpId }) => type === 'follow-up.delivered' && followUpId === id)?.runId,
  )
  book.row(
    'what is queued survives a stop and is delivered next',
    runs[0] === String(BigInt(runCount) + 1n),
    runs,
  )
  book.row(
    'a run takes the queue up to the first message with an override',
    runs[0] === runs[1] && runs[2] === String(BigInt(runs[1] ?? 0) + 1n) && runs[2] === runs[3],
    runs,
  )
}
