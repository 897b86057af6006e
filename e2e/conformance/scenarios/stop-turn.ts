import type { Api } from '../api.ts'
import { shown, type Book } from '../book.ts'
import { RFC3339_UTC_MS } from '../shapes.ts'
import { sample, plays, FINISHES, SLEEPS } from '../simulated.ts'

export async function stopTurn(book: Book, api: Api): Promise<void> {
  const agent = sample('stopper')
  const spent = (await api.stateOf(agent)).cost

  const bare = await api.call('POST', '/v1/agent/stop-turn', undefined, {
    raw: `{"agentId":${JSON.stringify(agent)},"runId":1,"mode":"STOP_TURN_MODE_INTERRUPT"}`,
  })
  book.row(
    'INTERRUPT with runId as a bare number: 200 and an empty object',
    bare.status === 200 && bare.text === '{}',
    shown(bare),
  )
  const one = await api.rested(agent)
  book.equal(
    'the turn ends as interrupted, and the agent lives on',
    [one.reason, one.status.run.endReason, one.status.run.stopMode],
    ['WAIT_REASON_WAITING', 'interrupted', 'STOP_TURN_MODE_INTERRUPT'],
  )
  book.row(
    'INTERRUPT flushes cost, duration and response',
    one.status.cost > 0 &&
      one.status.cost >= spent &&
      BigInt(one.status.totalTokens) > 0n &&
      RFC3339_UTC_MS.test(one.status.run.startTime) &&
      RFC3339_UTC_MS.test(one.status.run.endTime) &&
      one.status.lastMessage === 'One.',
    [one.status.cost, one.status.totalTokens, one.status.run, one.status.lastMessage],
  )
  book.invalid(
    'the same stop again is INVALID_ARGUMENT: no turn is running',
    await api.stop(agent, { runId: '1' }),
  )

  await api.queue(agent, { description: `Again.${plays(...SLEEPS)}` })
  const two = await api.asleep(agent, '2')
  book.equal('the agent takes later follow-ups, in the next run', two?.runCount, '2')
  book.invalid(
    'a retried stop of run 1 does not reach run 2: INVALID_ARGUMENT',
    await api.stop(agent, { runId: '1', mode: 'STOP_TURN_MODE_KILL' }),
  )
  book.equal('… which goes on', (await api.stateOf(agent)).phase, 'PHASE_RUNNING')
  const unspecified = await api.stop(agent, { runId: '2', mode: 'STOP_TURN_MODE_UNSPECIFIED' })
  book.equal('runId as a string, mode UNSPECIFIED: an empty object', unspecified.json, {})
  book.equal(
    'UNSPECIFIED is treated as INTERRUPT',
    (await api.rested(agent)).status.run.endReason,
    'interrupted',
  )

  await api.queue(agent, { description: `And again.${plays(...SLEEPS)}` })
  await api.asleep(agent, '3')
  const killing = Date.now()
  book.equal(
    'KILL: an empty object',
    (await api.stop(agent, { runId: '3', mode: 'STOP_TURN_MODE_KILL' })).json,
    {},
  )
  const three = await api.rested(agent)
  book.equal(
    'the turn ends as killed, and the agent lives on',
    [three.reason, three.status.run.endReason, three.status.run.stopMode],
    ['WAIT_REASON_WAITING', 'killed', 'STOP_TURN_MODE_KILL'],
  )
  book.row('immediately', Date.now() - killing < 20_000, Date.now() - killing)
  await api.queue(agent, {
    description: `Last.${plays({ say: 'x', shell: 'true' }, FINISHES, { say: 'Bye.' })}`,
  })
  book.equal(
    'an agent whose turn was killed takes later follow-ups',
    (await api.rested(agent)).reason,
    'WAIT_REASON_COMPLETED',
  )
}
