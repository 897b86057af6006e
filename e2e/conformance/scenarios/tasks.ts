import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { keysOf } from '../shapes.ts'
import { idle } from '../simulated.ts'

export async function taskFields(book: Book, api: Api): Promise<void> {
  const agent = idle('checklist')
  await api.spawn(agent, 'x', {
    tasks: [
      { id: 'a', subject: 'First', description: 'd', blocks: ['b'] },
      { id: 'b', subject: 'Second', activation: { filesModified: { pattern: 'docs/**' } } },
      {
        subject: 'Third',
        status: 'TASK_STATUS_IN_PROGRESS',
        persona: 'forged',
        dedupKey: 'forged',
        ephemeral: true,
        activation: {},
      },
    ],
  })
  const tasks = (await api.stateOf(agent)).tasks
  for (const task of tasks.slice(0, 1))
    book.equal('a task has exactly the fields of the contract', keysOf(task), [
      'activation',
      'blockedBy',
      'blocks',
      'dedupKey',
      'description',
      'ephemeral',
      'id',
      'persona',
      'status',
      'subject',
    ])
  book.equal(
    'ids, subject and description are kept',
    tasks.slice(0, 2).map(({ id, subject, description }) => [id, subject, description]),
    [
      ['a', 'First', 'd'],
      ['b', 'Second', ''],
    ],
  )
  book.row('an id that is left out is minted', typeof tasks[2]?.id === 'string' && tasks[2]?.id !== '')
  book.equal(
    'status is TASK_STATUS_PENDING unless given',
    tasks.map(({ status: s }) => s),
    ['TASK_STATUS_PENDING', 'TASK_STATUS_PENDING', 'TASK_STATUS_IN_PROGRESS'],
  )
  book.equal(
    'blocks and blockedBy say the same from both ends',
    [tasks[0]?.blocks, tasks[1]?.blockedBy],
    [['b'], ['a']],
  )
  book.equal(
    'activation is kept; unset is an empty object',
    tasks.map(({ activation }) => activation),
    [{}, { filesModified: { pattern: 'docs/**' } }, {}],
  )
  book.equal(
    'persona, dedupKey and ephemeral of a caller’s task are empty, whatever was sent',
    tasks.map(({ persona, dedupKey, ephemeral }) => [persona, dedupKey, ephemeral]),
    tasks.map(() => ['', '', false]),
  )
  book.ok(
    'filesModified without a pattern is accepted: any file',
    await api.queue(agent, {
      description: 'x',
      tasks: [{ subject: 'any', activation: { filesModified: {} } }],
    }),
  )
  book.invalid(
    'a condition that does not exist is INVALID_ARGUMENT',
    await api.queue(agent, { description: 'x', tasks: [{ subject: 'x', activation: { moonPhase: {} } }] }),
  )
  book.invalid(
    'two conditions are INVALID_ARGUMENT: at most one may be set',
    await api.queue(agent, {
      description: 'x',
      tasks: [{ subject: 'x', activation: { filesModified: {}, moonPhase: {} } }],
    }),
  )
  book.invalid(
    'a status that does not exist is INVALID_ARGUMENT',
    await api.queue(agent, { description: 'x', tasks: [{ subject: 'x', status: 'DONE' }] }),
    { field: 'tasks[0].status' },
  )
  book.ok(
    'TASK_STATUS_UNSPECIFIED is accepted as not set',
    await api.queue(agent, {
      description: 'x',
      tasks: [{ subject: 'x', status: 'TASK_STATUS_UNSPECIFIED' }],
    }),
  )
  book.invalid(
    'a link to a task that does not exist is INVALID_ARGUMENT',
    await api.queue(agent, { description: 'x', tasks: [{ subject: 'x', blockedBy: ['nowhere'] }] }),
  )
  book.invalid(
    'a circle is INVALID_ARGUMENT',
    await api.spawn(idle('circle'), 'x', {
      tasks: [
        { id: 'a', subject: 'a', blocks: ['b'] },
        { id: 'b', subject: 'b', blocks: ['a'] },
      ],
    }),
  )
}

export async function taskTransitions(book: Book, api: Api): Promise<void> {
  const agent = idle('checklist')
  await api.spawn(agent, 'x', {
    tasks: [
      { id: 'a', subject: 'First', description: 'd', blocks: ['b'] },
      { id: 'b', subject: 'Second', activation: { filesModified: { pattern: 'docs/**' } } },
      {
        subject: 'Third',
        status: 'TASK_STATUS_IN_PROGRESS',
        persona: 'forged',
        dedupKey: 'forged',
        ephemeral: true,
        activation: {},
      },
    ],
  })
  const update = (...changes: object[]) =>
    api.post('/v1/agent/tasks/update', { agentId: agent, tasks: changes })
  book.precondition(
    'a task with an open blocker cannot be completed: FAILED_PRECONDITION',
    await update({ id: 'b', status: 'TASK_STATUS_COMPLETED' }),
  )
  book.ok(
    'PENDING → IN_PROGRESS → COMPLETED',
    await update(
      { id: 'a', status: 'TASK_STATUS_IN_PROGRESS' },
      { id: 'a', status: 'TASK_STATUS_COMPLETED' },
    ),
  )
  book.ok('once its blocker is done, so can it', await update({ id: 'b', status: 'TASK_STATUS_COMPLETED' }))
  book.ok('COMPLETED → IN_PROGRESS (reopened)', await update({ id: 'b', status: 'TASK_STATUS_IN_PROGRESS' }))
  book.ok('any → DELETED', await update({ id: 'b', status: 'TASK_STATUS_DELETED' }))
  book.precondition(
    'DELETED is final: FAILED_PRECONDITION',
    await update({ id: 'b', status: 'TASK_STATUS_PENDING' }),
  )
  book.notFound(
    'a task that does not exist is NOT_FOUND',
    await update({ id: 'nowhere', status: 'TASK_STATUS_COMPLETED' }),
  )
  await api.kill(agent)
}
