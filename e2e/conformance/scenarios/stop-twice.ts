import type { Api } from '../api.ts'
import { shown, type Book } from '../book.ts'
import { plays, SLEEPS, sample } from '../simulated.ts'

export async function stopTwice(book: Book, api: Api): Promise<void> {
  const other = sample('stopper-b')
  await api.spawn(other, `Sleep.${plays(...SLEEPS)}`, { model: 'gpt-5.5' })
  await api.asleep(other, '1')
  book.equal('a stop without a mode: an empty object', (await api.stop(other, { runId: '1' })).json, {})
  const second = await api.stop(other, { runId: '1', mode: 'STOP_TURN_MODE_KILL' })
  book.row(
    'a second stop with KILL is accepted, or the turn has ended already',
    second.status === 200 || second.json.code === 3,
    shown(second),
  )
  const ended = await api.rested(other)
  book.row(
    'stop-turn on backend B ends the turn, and the agent lives on',
    ended.reason === 'WAIT_REASON_WAITING' && ['interrupted', 'killed'].includes(ended.status.run.endReason),
    ended.status?.run,
  )
  await api.kill(other)
}
