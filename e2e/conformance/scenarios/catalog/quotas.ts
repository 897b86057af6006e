import type { Answer } from '../../answers.ts'
import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { idle } from '../../simulated.ts'

const saysWhenToRetry = ({ json }: Answer<object>) =>
  json.details?.some(
    (detail) => detail['@type'].endsWith('RetryInfo') && /^\d+(\.\d+)?s$/.test(detail.retryDelay ?? ''),
  )

export async function quotas(book: Book, api: Api): Promise<void> {
  const agent = idle('limited')
  await api.spawn(agent, 'x')
  await api.write('quota', 'default', { queuedFollowUpsPerAgent: 2, tasksPerAgent: 1, childrenPerAgent: 1 })
  await api.queue(agent, { description: 'second' })
  const third = await api.queue(agent, { description: 'third' })
  book.exhausted('one queued follow-up too many is RESOURCE_EXHAUSTED', third)
  book.row('… with RetryInfo', saysWhenToRetry(third), third.text)
  book.ok('preempt makes room first', await api.queue(agent, { description: 'instead', preempt: true }))
  const tasks = [{ subject: 'a' }, { subject: 'b' }]
  book.exhausted(
    'one task too many is RESOURCE_EXHAUSTED',
    await api.post('/v1/agent/tasks/create', { agentId: agent, tasks }),
  )
  await api.spawn(idle('limited', 'one'), 'x')
  book.exhausted('one child too many is RESOURCE_EXHAUSTED', await api.spawn(idle('limited', 'two'), 'x'))
  await api.write('quota', 'default', { liveAgents: 0 })
  book.exhausted('one live agent too many is RESOURCE_EXHAUSTED', await api.spawn(idle('one-too-many'), 'x'))
  await api.delete('quota', 'default')
  book.ok('without the quota it can be spawned', await api.spawn(idle('one-too-many'), 'x'))
  await api.kill(agent)
  await api.kill(idle('one-too-many'))
}
