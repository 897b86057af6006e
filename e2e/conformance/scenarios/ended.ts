import type { AgentId } from '../answers.ts'
import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { nameOf } from '../shapes.ts'
import { plays, FINISHES, sample } from '../simulated.ts'

export async function ended(book: Book, api: Api): Promise<void> {
  const [rester, failer] = [sample('rester'), sample('failer')]
  await api.spawn(rester, `Rest.${plays({ say: 'Ready.' })}`)
  await api.spawn(failer, `Fail.${plays({ error: 400, message: 'The model refuses.', times: 'always' })}`)
  const atRest = await api.rested(rester)
  book.equal(
    'a turn that ends without a question: at rest, and it asks nothing',
    [atRest.reason, atRest.status.needsInput, atRest.status.run.endReason],
    ['WAIT_REASON_WAITING', '', 'rested'],
  )
  const failed = await api.rested(failer)
  book.equal(
    'wait answers when the agent fails',
    [failed.reason, failed.status.phase, failed.status.run.endReason],
    ['WAIT_REASON_FAILED', 'PHASE_FAILED', 'failed'],
  )
  book.row(
    'the status says why',
    failed.status.error.code !== '' && failed.status.error.message.includes('refuses'),
    failed.status.error,
  )
  const ends = async (agent: AgentId) =>
    (await api.timeline(agent)).filter(({ type }) => type === 'run.ended').map(({ error }) => error)
  book.equal('the run’s end on the timeline says the same', await ends(failer), [failed.status.error])
  book.equal('… and nothing for a run that ended well', await ends(rester), [{ code: '', message: '' }])
  book.equal('who has pushed nothing has no branches', atRest.status.branches, [])
  book.notFound(
    'queue-add to an agent that has failed is NOT_FOUND',
    await api.queue(failer, { description: 'x' }),
  )
  book.row(
    'an agent that has failed is terminal',
    !(await api.list()).json.entries.some((each) => nameOf(each) === 'failer') &&
      (await api.list({ includeTerminal: true })).json.entries.some((each) => nameOf(each) === 'failer'),
  )
  await api.kill(rester)
  book.equal('wait of a killed agent answers', [(await api.rested(rester)).reason], ['WAIT_REASON_CANCELED'])
}

export async function completedOtherwise(book: Book, api: Api): Promise<void> {
  const auto = sample('auto')
  await api.spawn(auto, `Auto.${plays({ say: 'Done.' })}`, { autoComplete: true })
  book.equal(
    'autoComplete: a turn that ends with nothing open completes',
    [(await api.rested(auto)).status.phase],
    ['PHASE_COMPLETED'],
  )
  const b = sample('on-b')
  await api.spawn(b, `Finish.${plays({ say: 'Working.', shell: 'true' }, FINISHES, { say: 'Bye.' })}`, {
    model: 'gpt-5.5',
  })
  const onB = await api.rested(b)
  book.equal(
    'an agent on backend B finishes as well',
    [onB.reason, onB.status.backend],
    ['WAIT_REASON_COMPLETED', 'b'],
  )
  book.row('… with cost and tokens', onB.status.cost > 0 && BigInt(onB.status.totalTokens) > 0n, onB.status)
}
