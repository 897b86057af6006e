import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { idle } from '../simulated.ts'

export async function settingsB(book: Book, api: Api): Promise<void> {
  const agent = idle('checks-b')
  await api.spawn(agent, 'x', { model: 'gpt-5.5', reasoningEffort: 'none', serviceTier: 'standard' })
  const state = await api.stateOf(agent)
  book.equal(
    'the backend is inferred from the model at spawn: B',
    [state.backend, state.model, state.reasoningEffort, state.serviceTier],
    ['b', 'gpt-5.5', 'none', 'standard'],
  )
  const tries = (more: Record<string, unknown>) => api.queue(agent, { description: 'x', ...more })
  for (const effort of ['none', 'low', 'medium', 'high', 'xhigh'])
    book.ok(`backend B accepts reasoningEffort ${effort}`, await tries({ reasoningEffort: effort }))
  for (const effort of ['max', 'minimal', 'None'])
    book.invalid(
      `backend B does not accept reasoningEffort ${effort}: INVALID_ARGUMENT`,
      await tries({ reasoningEffort: effort }),
      { field: 'reasoningEffort' },
    )
  for (const tier of ['standard', 'fast', 'flex'])
    book.ok(`backend B accepts serviceTier ${tier}`, await tries({ serviceTier: tier }))
  for (const tier of ['gold', 'Fast', 'priority'])
    book.invalid(
      `backend B does not accept serviceTier ${tier}: INVALID_ARGUMENT`,
      await tries({ serviceTier: tier }),
      { field: 'serviceTier' },
    )
  book.invalid(
    'a model of backend A for an agent on B is INVALID_ARGUMENT',
    await tries({ model: 'claude-opus-5' }),
    { field: 'model' },
  )
  book.ok('another model of backend B is accepted', await tries({ model: 'gpt-5.5-mini' }))
  book.ok('fastMode is not validated per backend: true on B', await tries({ fastMode: true }))
  book.ok('fastMode false on B', await tries({ fastMode: false }))
  await api.kill(agent)
  const plain = idle('no-model')
  await api.spawn(plain, 'x')
  book.equal('without any model the backend is A', (await api.stateOf(plain)).backend, 'a')
  await api.kill(plain)
}
