import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { FINISHES, idle, plays, sample } from '../simulated.ts'

const resume = { resume: true }

/** What a continued agent keeps, tested without a runner. */
export async function continued(book: Book, api: Api): Promise<void> {
  const agent = idle('continued')
  await api.spawn(agent, 'Fix it.', {
    expectedOutput: 'A commit.',
    model: 'opus',
    maxCost: 5,
    labels: { team: 'web' },
    tasks: [{ id: 'open', subject: 'Test it' }],
  })
  book.error('resume over a live agent is ALREADY_EXISTS', await api.spawn(agent, 'x', resume), 6, 409)
  await api.kill(agent)
  const before = await api.stateOf(agent)
  book.notFound('queue-add to an ended agent is NOT_FOUND', await api.queue(agent, { description: 'x' }))
  book.invalid(
    'resume cannot change the backend',
    await api.spawn(agent, 'x', { ...resume, model: 'gpt-5.5' }),
    { field: 'model' },
  )
  const again = await api.spawn(agent, 'Go on.', resume)
  book.ok('resume over an ended agent starts its next life', again)
  const after = await api.stateOf(agent)
  book.row(
    'run numbers go on counting',
    BigInt(after.runCount) === BigInt(before.runCount) + 1n && after.phase === 'PHASE_PENDING',
    [before.runCount, after.runCount],
  )
  book.equal(
    'the message is the only one in the queue',
    after.followUps.map(({ followUpId, description }) => [followUpId, description]),
    [[again.json.followUpId, 'Go on.']],
  )
  for (const field of ['description', 'expectedOutput', 'model', 'persona', 'backend'] as const)
    book.equal(`${field} stays`, after[field], before[field])
  book.equal(
    'open tasks stay',
    after.tasks.map(({ id, status }) => [id, status]),
    [['open', 'TASK_STATUS_PENDING']],
  )
  book.notFound('resume of nobody is NOT_FOUND', await api.spawn(idle('never-was'), 'x', resume))
  book.invalid('resume needs a name', await api.spawn({ workspace: 'idle' }, 'x', resume), {
    field: 'agentId.agent',
  })
  await api.kill(agent)
}

/** With real runs: the files of the previous incarnation are there. */
export async function continuedWork(book: Book, api: Api): Promise<void> {
  const agent = sample('comes-back')
  const first = plays({ say: 'x', shell: 'echo feathers > kept.txt' }, FINISHES, { say: 'Bye.' })
  await api.spawn(agent, `Note it.${first}`)
  book.equal('the first life completes', (await api.rested(agent)).reason, 'WAIT_REASON_COMPLETED')
  const second = plays({ say: 'y', shell: 'cat kept.txt' }, FINISHES, { say: 'Bye again.' })
  await api.spawn(agent, `Look at it.${second}`, resume)
  const { reason, status } = await api.rested(agent)
  book.equal('so does the continued one', [reason, status.runCount], ['WAIT_REASON_COMPLETED', '2'])
  const events = JSON.stringify(await api.timeline(agent))
  book.row('the file that was not committed is there', events.includes('"output":"feathers'), events)
  book.row('the timeline says that the life is a continuation', events.includes('"resumed":true'), events)
}

/** What a live agent uses cannot be deleted. */
export async function usedByAgents(book: Book, api: Api): Promise<void> {
  await api.write('workspace', 'lived-in', { pool: 'nobody' })
  await api.write('profile', 'keeper', {})
  const agent = {
    workspace: 'lived-in',
    agent: ['tenant'],
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: 'keeper',
  }
  book.ok('an agent of a service profile that exists', await api.spawn(agent, 'x'))
  for (const [kind, name] of [
    ['workspace', 'lived-in'],
    ['profile', 'keeper'],
  ] as const) {
    const refused = await api.delete(kind, name)
    book.precondition(`a ${kind} that a live agent uses cannot be deleted`, refused)
    book.row(
      `… and the answer names the agent (${kind})`,
      refused.text.includes('lived-in/tenant'),
      refused.text,
    )
  }
  await api.kill(agent)
  for (const [kind, name] of [
    ['workspace', 'lived-in'],
    ['profile', 'keeper'],
  ] as const)
    book.ok(`once it has ended, the ${kind} can`, await api.delete(kind, name))
}
