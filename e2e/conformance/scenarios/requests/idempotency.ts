import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'

const header = (key: string) => ({ headers: { 'idempotency-key': key } })

export async function idempotency(book: Book, api: Api): Promise<void> {
  const once = await api.spawn({ workspace: 'idle' }, 'Once.', {}, header('spawn-1'))
  const twice = await api.spawn({ workspace: 'idle' }, 'Once.', {}, header('spawn-1'))
  book.equal('the same Idempotency-Key and body: the same answer', twice.json, once.json)
  book.equal(
    '… marked as Idempotent-Replay',
    [once.headers.get('idempotent-replay'), twice.headers.get('idempotent-replay')],
    [null, 'true'],
  )
  book.invalid(
    'the same key with another body is INVALID_ARGUMENT',
    await api.spawn({ workspace: 'idle' }, 'Other.', {}, header('spawn-1')),
  )
  book.invalid(
    'a key of 256 characters is INVALID_ARGUMENT',
    await api.spawn({ workspace: 'idle' }, 'x', {}, header('x'.repeat(256))),
  )
  const agent = once.json.agentId
  const [one, two] = [
    await api.queue(agent, { description: 'm' }, header('queue-1')),
    await api.queue(agent, { description: 'm' }, header('queue-1')),
  ]
  book.row(
    'a retried queue-add queues once',
    one.json.followUpId === two.json.followUpId &&
      (await api.stateOf(agent)).followUps.filter(({ description }) => description === 'm').length === 1,
  )
  const race = await Promise.all(
    Array.from({ length: 5 }, () => api.queue(agent, { description: 'raced', followUpId: 'raced' })),
  )
  book.row(
    'one followUpId sent five times at once queues once',
    race.every(({ status: s, json }) => s === 200 && json.followUpId === 'raced') &&
      (await api.stateOf(agent)).followUps.filter(({ followUpId }) => followUpId === 'raced').length === 1,
    race.map(({ text }) => text),
  )
  await api.kill(agent)
}
