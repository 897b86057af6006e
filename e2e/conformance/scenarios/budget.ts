import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { idle } from '../simulated.ts'

export async function budgets(book: Book, api: Api): Promise<void> {
  const agent = idle('thrifty')
  await api.spawn(agent, 'x', { maxCost: 5 })
  const set = (maxCost: unknown, agentId = agent) =>
    api.post<{ resumed: number }>('/v1/agent/budget', { agentId, maxCost })
  book.equal('the status says what an agent may spend', (await api.stateOf(agent)).maxCost, 5)
  book.equal('the answer says how many agents go on', (await set(7.5)).json, { resumed: 0 })
  book.equal('a budget can be changed', (await api.stateOf(agent)).maxCost, 7.5)
  await api.spawn(idle('thrifty', 'child'), 'x', { maxCost: 100 })
  book.equal('a child gets at most what is left', (await api.stateOf(idle('thrifty', 'child'))).maxCost, 7.5)
  await set(0)
  book.equal('0 takes the budget away', (await api.stateOf(agent)).maxCost, 0)
  book.invalid('a negative budget is INVALID_ARGUMENT', await set(-1), { field: 'maxCost' })
  book.invalid('a budget that is no number is INVALID_ARGUMENT', await set('5'), { field: 'maxCost' })
  book.invalid('no budget at all is INVALID_ARGUMENT', await set(null), { field: 'maxCost' })
  book.row(
    'the timeline has each change',
    (await api.timeline(agent)).filter(({ type }) => type === 'agent.budget-changed').length === 2,
  )
  await api.kill(agent)
  book.notFound('the budget of an agent that has ended is NOT_FOUND', await set(1))
  book.notFound('the budget of an agent that does not exist is NOT_FOUND', await set(1, idle('never-was')))
}
