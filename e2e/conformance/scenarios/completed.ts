import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { RFC3339_UTC_MS, keysOf, nameOf } from '../shapes.ts'
import { plays, FINISHES, sample } from '../simulated.ts'

export async function completed(book: Book, api: Api): Promise<void> {
  const done = sample('done')
  await api.spawn(done, `Finish.${plays({ say: 'Working.', shell: 'true' }, FINISHES, { say: 'Bye.' })}`, {
    expectedOutput: 'Something.',
  })
  const finished = await api.rested(done)
  book.equal('wait answers reason and status', keysOf(finished), ['reason', 'status'])
  book.equal(
    'wait answers when the agent finishes',
    [finished.reason, finished.status.phase],
    ['WAIT_REASON_COMPLETED', 'PHASE_COMPLETED'],
  )
  const record = await api.stateOf(done)
  book.equal('the status of wait is that of status', finished.status, record)
  book.row(
    'runCount is in the status: a 64-bit integer as a string',
    record.runCount === '1',
    record.runCount,
  )
  const fields = [
    'agentId',
    'backend',
    'build',
    'cachedInputTokens',
    'cost',
    'createTime',
    'dashboardUrl',
    'description',
    'endTime',
    'error',
    'expectedOutput',
    'fastMode',
    'followUps',
    'inputTokens',
    'labels',
    'lastMessage',
    'maxCost',
    'model',
    'needsInput',
    'output',
    'outputSchema',
    'outputTokens',
    'persona',
    'phase',
    'progressAt',
    'reasoningEffort',
    'repos',
    'run',
    'runCount',
    'serviceTier',
    'tasks',
    'totalTokens',
    'treeCost',
  ]
  book.row(
    'the status has every field that is documented',
    fields.every((field) => field in record),
    keysOf(record),
  )
  book.equal('its run has every field that is documented', keysOf(record.run), [
    'attempt',
    'endReason',
    'endTime',
    'runId',
    'startTime',
    'state',
    'stopMode',
  ])
  book.row(
    'cost is a number above 0 once a model was asked',
    typeof record.cost === 'number' && record.cost > 0,
    record.cost,
  )
  book.row(
    'tokens were counted, as strings',
    BigInt(record.inputTokens) > 0n && BigInt(record.outputTokens) > 0n,
    record,
  )
  book.row(
    'totalTokens is input and output together',
    BigInt(record.totalTokens) === BigInt(record.inputTokens) + BigInt(record.outputTokens),
    record,
  )
  book.row(
    'cachedInputTokens is no more than inputTokens',
    BigInt(record.cachedInputTokens) <= BigInt(record.inputTokens),
    record,
  )
  book.row('progressAt is a date-time', RFC3339_UTC_MS.test(record.progressAt), record.progressAt)
  book.row(
    'repos names the workspace’s repository',
    record.repos.length === 1 && record.repos[0]?.includes('sample') === true,
    record.repos,
  )
  book.row(
    'createTime and endTime are there',
    RFC3339_UTC_MS.test(record.createTime) && RFC3339_UTC_MS.test(record.endTime),
  )
  book.equal(
    'the run ended as finished',
    [record.run.endReason, record.run.state, record.run.runId],
    ['finished', 'RUN_STATE_ENDED', '1'],
  )
  book.row(
    'description and expectedOutput are kept',
    record.description.startsWith('Finish.') && record.expectedOutput === 'Something.',
  )
  const entry = (await api.list({ includeTerminal: true })).json.entries.find(
    (each) => nameOf(each) === 'done',
  )
  book.row(
    'the entry of the list says the same',
    entry?.phase === record.phase &&
      entry.cost === record.cost &&
      entry.totalTokens === record.totalTokens &&
      entry.dashboardUrl === record.dashboardUrl,
    entry,
  )
  const started = Date.now()
  await api.rested(done)
  book.row(
    'wait of an agent that needs attention already answers at once',
    Date.now() - started < 10_000,
    Date.now() - started,
  )
  book.notFound(
    'queue-add to an agent that has completed is NOT_FOUND',
    await api.queue(done, { description: 'x' }),
  )
  book.invalid(
    'stop-turn of an agent that has completed is INVALID_ARGUMENT',
    await api.stop(done, { runId: '1' }),
  )
  book.equal(
    'queue-remove of a message that was delivered: removed is false',
    (
      await api.remove(
        done,
        (await api.timeline(done)).find(({ type }) => type === 'follow-up.queued')?.followUp?.followUpId ??
          '',
      )
    ).json,
    { removed: false },
  )
  book.equal('clear of an agent that has completed: nothing to clear', (await api.clear(done)).json, {
    cleared: 0,
  })
  book.equal(
    'kill of an agent that has completed: an empty object',
    [(await api.kill(done)).json, (await api.stateOf(done)).phase],
    [{}, 'PHASE_COMPLETED'],
  )
  const agentId = done
  const events = await api.timeline(agentId)
  book.row(
    `the timeline of ${nameOf({ agentId })} is numbered without a gap`,
    events.length > 5 && events.every(({ sequence }, index) => sequence === String(index + 1)),
    events.map(({ sequence }) => sequence),
  )
}
