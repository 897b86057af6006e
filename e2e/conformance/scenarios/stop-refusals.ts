import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { plays, SLEEPS, sample, idle } from '../simulated.ts'

export async function stopRefusals(book: Book, api: Api): Promise<void> {
  const agent = sample('stopper')
  await api.spawn(agent, `Sleep.${plays(...SLEEPS)}`)
  const state = await api.asleep(agent)
  book.equal(
    'runCount is the number of the current run',
    [state?.runCount, state?.run.runId, state?.run.state],
    ['1', '1', 'RUN_STATE_RUNNING'],
  )
  book.invalid('an omitted runId is INVALID_ARGUMENT', await api.stop(agent), { field: 'runId' })
  book.invalid('a stale runId is INVALID_ARGUMENT', await api.stop(agent, { runId: '0' }))
  book.invalid('a runId that is yet to come is INVALID_ARGUMENT', await api.stop(agent, { runId: '2' }))
  for (const [name, text] of [
    ['null', 'null'],
    ['an empty string', '""'],
    ['a word', '"current"'],
    ['a fraction', '1.5'],
    ['an exponent', '1e0'],
    ['negative', '-1'],
    ['2^63', '9223372036854775808'],
    ['2^64+1, which a 64-bit wrap would make 1', '18446744073709551617'],
    ['"01"', '"01"'],
  ]) {
    book.invalid(
      `a runId that is ${name} is INVALID_ARGUMENT`,
      await api.call('POST', '/v1/agent/stop-turn', undefined, {
        raw: `{"agentId":${JSON.stringify(agent)},"runId":${text}}`,
      }),
    )
  }
  book.invalid(
    'an unknown mode is INVALID_ARGUMENT',
    await api.stop(agent, { runId: '1', mode: 'STOP_TURN_MODE_NICELY' }),
    { field: 'mode' },
  )
  book.equal(
    'none of these touched the turn',
    [(await api.stateOf(agent)).phase, (await api.stateOf(agent)).run.stopMode],
    ['PHASE_RUNNING', 'STOP_TURN_MODE_UNSPECIFIED'],
  )
  const pending = idle('pending')
  await api.spawn(pending, 'x')
  book.invalid(
    'a run that has not started is no running turn: INVALID_ARGUMENT',
    await api.stop(pending, { runId: (await api.stateOf(pending)).runCount }),
  )
  await api.kill(pending)
}
