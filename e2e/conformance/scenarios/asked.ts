import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { nameOf } from '../shapes.ts'
import { plays, FINISHES, ASKS, sample } from '../simulated.ts'

export async function asked(book: Book, api: Api): Promise<void> {
  const asker = sample('asker')
  await api.spawn(asker, `Ask.${plays(ASKS, { say: 'I wait.' })}`)
  const question = await api.rested(asker)
  book.equal(
    'wait answers when the agent comes to rest waiting for input',
    [question.reason, question.status.phase],
    ['WAIT_REASON_WAITING', 'PHASE_WAITING'],
  )
  book.equal('needsInput is what the agent asks', question.status.needsInput, 'Blue or green?')
  book.equal('the run ended as asked', question.status.run.endReason, 'asked')
  const asking = (await api.list()).json.entries.find((each) => nameOf(each) === 'asker')
  book.row(
    'an agent at rest is not terminal: the list has it, with its question',
    asking?.needsInput === 'Blue or green?' && asking.phase === 'PHASE_WAITING',
    asking,
  )
  book.invalid(
    'stop-turn of an agent at rest is INVALID_ARGUMENT: no turn is running',
    await api.stop(asker, { runId: question.status.runCount }),
  )
  const answer = await api.queue(asker, {
    description: `Green.${plays({ say: 'Thanks.', shell: 'true' }, FINISHES, { say: 'Bye.' })}`,
  })
  book.ok('an agent at rest takes a follow-up', answer)
  const woken = await api.rested(asker)
  book.row(
    '… is woken by it, and goes on in its next run',
    woken.reason === 'WAIT_REASON_COMPLETED' && woken.status.runCount === '2',
    [woken.reason, woken.status.runCount],
  )
  book.equal('needsInput is empty again', woken.status.needsInput, '')
  book.row(
    'cost and tokens only grow',
    woken.status.cost > question.status.cost &&
      BigInt(woken.status.totalTokens) > BigInt(question.status.totalTokens),
  )
  const told = (await api.timeline(asker))
    .filter((event) => (event.followUpId ?? event.followUp?.followUpId) === answer.json.followUpId)
    .map(({ type }) => type)
  book.equal('the timeline records QUEUED to DELIVERED under its followUpId', told, [
    'follow-up.queued',
    'follow-up.delivered',
  ])
  const agentId = asker
  const events = await api.timeline(agentId)
  book.row(
    `the timeline of ${nameOf({ agentId })} is numbered without a gap`,
    events.length > 5 && events.every(({ sequence }, index) => sequence === String(index + 1)),
    events.map(({ sequence }) => sequence),
  )
}
