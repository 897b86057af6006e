import type { Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'
import { UUID } from '../../shapes.ts'
import { plays, sample } from '../../simulated.ts'
import { soon, until } from '../../until.ts'

export async function deferred(book: Book, api: Api): Promise<void> {
  const agent = sample('deferred')
  await api.spawn(agent, `Rest.${plays({ say: 'Ready.' })}`)
  await api.rested(agent)
  const at = soon(4000)
  const due = await api.queue(agent, { description: `Wake.${plays({ say: 'Awake.' })}`, deliverAt: at })
  book.row(
    'a deferred message is accepted and answered with its id',
    UUID.test(due.json.followUpId ?? ''),
    shown(due),
  )
  const hour = soon(3_600_000)
  const two = soon(7_200_000)
  await api.queue(agent, { description: 'In an hour.', followUpId: 'hour', deliverAt: hour })
  await api.queue(agent, {
    description: 'In two hours.',
    followUpId: 'two',
    deliverAt: `${new Date(Date.parse(two) + 5.5 * 3_600_000).toISOString().slice(0, -1)}+05:30`,
  })
  const state = await api.stateOf(agent)
  book.equal(
    'several deferred messages coexist',
    state.followUps.map((message) => `${message.followUpId} ${message.state}`).sort(),
    [`${due.json.followUpId} DEFERRED`, 'hour DEFERRED', 'two DEFERRED'].sort(),
  )
  book.equal(
    'a time with another offset is the same instant, answered in UTC',
    state.followUps.find(({ followUpId }) => followUpId === 'two')?.deliverAt,
    two,
  )
  book.equal('until then the agent sleeps on', [state.phase, state.runCount], ['PHASE_WAITING', '1'])
  book.equal('queue-remove of a deferred message: removed is true', (await api.remove(agent, 'hour')).json, {
    removed: true,
  })
  book.equal('again: removed is false', (await api.remove(agent, 'hour')).json, { removed: false })
  const rearmed = await api.queue(agent, {
    description: 'In an hour after all.',
    deliverAt: hour,
  })
  book.ok('to re-arm: queue-add again', rearmed)
  const again = await api.queue(agent, {
    description: 'In an hour, the same id.',
    followUpId: 'hour',
    deliverAt: hour,
  })
  const back = (await api.stateOf(agent)).followUps.some(({ followUpId }) => followUpId === 'hour')
  book.row(
    're-armed under the same followUpId after a remove, the message is queued or refused, never dropped in silence',
    again.status !== 200 || back,
    `${shown(again)}; not in followUps`,
  )
  const woken = await until(async () => {
    const now = await api.stateOf(agent)
    return now.runCount === '2' && now.phase === 'PHASE_WAITING' ? now : undefined
  })
  book.row('at its time it joins the queue and wakes the sleeping agent', woken !== undefined)
  const mine = (await api.timeline(agent)).filter(
    (event) => (event.followUpId ?? event.followUp?.followUpId) === due.json.followUpId,
  )
  book.equal(
    'the timeline records DEFERRED, due, DELIVERED',
    mine.map(({ type }) => type),
    ['follow-up.deferred', 'follow-up.due', 'follow-up.delivered'],
  )
  const dueAt = Date.parse(mine.find(({ type }) => type === 'follow-up.due')?.time ?? '')
  book.row(
    'not before its time, and soon after it',
    dueAt >= Date.parse(at) && dueAt < Date.parse(at) + 15_000,
    [at, mine.map(({ time }) => time)],
  )
  book.equal('once delivered: removed is false', (await api.remove(agent, due.json.followUpId)).json, {
    removed: false,
  })
}
