import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { plays, FINISHES, pushes, sample } from '../simulated.ts'

export async function activation(book: Book, api: Api): Promise<void> {
  const pusher = sample('pusher')
  await api.spawn(pusher, `Push.${plays(pushes('docs/a.md'), FINISHES, { say: 'Rest.' })}`, {
    tasks: [
      { id: 'docs', subject: 'Docs', activation: { filesModified: { pattern: 'docs/**' } } },
      { id: 'src', subject: 'Src', activation: { filesModified: { pattern: 'src/**' } } },
      { id: 'any', subject: 'Any', activation: { filesModified: { pattern: '' } } },
    ],
  })
  const pushed = await api.rested(pusher)
  const open = async () =>
    (
      await api.post<{ openTaskIds: string[] }>('/v1/agent/tasks', { agentId: pusher })
    ).json.openTaskIds.sort()
  const events = await api.timeline(pusher)
  book.equal(
    'a push activates the tasks whose pattern matches; an empty pattern is any file',
    events
      .filter(({ type }) => type === 'task.activated')
      .map(({ taskId = '' }) => taskId)
      .sort(),
    ['any', 'docs'],
  )
  book.equal(
    '… and they hold the agent back',
    [pushed.reason, await open()],
    ['WAIT_REASON_WAITING', ['any', 'docs']],
  )
  await api.queue(pusher, {
    description: `Again, without a push.${plays({ say: 'x', shell: 'true' }, FINISHES, { say: 'Bye.' })}`,
  })
  const second = await api.rested(pusher)
  book.equal(
    'activation is run-scoped: in a run without a push they are inactive, and the agent completes',
    [second.reason, second.status.tasks.every(({ status: s }) => s === 'TASK_STATUS_PENDING')],
    ['WAIT_REASON_COMPLETED', true],
  )
}

export async function completion(book: Book, api: Api): Promise<void> {
  const quiet = sample('quiet')
  await api.spawn(quiet, `No push.${plays({ say: 'x', shell: 'true' }, FINISHES, { say: 'Bye.' })}`, {
    tasks: [{ subject: 'Inactive', activation: { filesModified: { pattern: '**' } } }],
  })
  book.equal(
    'an inactive task does not hold up completion',
    (await api.rested(quiet)).reason,
    'WAIT_REASON_COMPLETED',
  )
  const held = sample('held')
  await api.spawn(held, `Open.${plays({ say: 'x', shell: 'true' }, FINISHES, { say: 'Rest.' })}`, {
    tasks: [{ id: 'open', subject: 'Do it' }],
  })
  const heldBack = await api.rested(held)
  book.equal(
    'unset activation means always active: an open task holds the agent back',
    [heldBack.reason, heldBack.status.tasks[0]?.status],
    ['WAIT_REASON_WAITING', 'TASK_STATUS_PENDING'],
  )
  book.row(
    'needsInput says what is still open',
    heldBack.status.needsInput.includes('Do it'),
    `needsInput ${JSON.stringify(heldBack.status.needsInput)} after a run that called finish with "Do it" open`,
  )
  await api.kill(held)
}
