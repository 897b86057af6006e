import type { Api } from '../api.ts'
import type { Book } from '../book.ts'
import { plays, sample } from '../simulated.ts'

export async function stickyB(book: Book, api: Api): Promise<void> {
  const sticky = sample('sticky-b')
  const schema = JSON.stringify({
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  })
  await api.spawn(sticky, `One.${plays({ output: { n: 1 } })}`, {
    model: 'gpt-5.5',
    serviceTier: 'flex',
    reasoningEffort: 'low',
    outputSchema: schema,
  })
  const one = (await api.rested(sticky)).status
  book.equal('structured output on backend B', one.output, '{"n":1}')
  await api.queue(sticky, {
    description: `Two.${plays({ output: { n: 2 } })}`,
    serviceTier: 'fast',
    reasoningEffort: 'none',
  })
  const two = (await api.rested(sticky)).status
  book.equal(
    'a follow-up replaces tier and effort',
    [two.serviceTier, two.reasoningEffort, two.output],
    ['fast', 'none', '{"n":2}'],
  )
  await api.queue(sticky, {
    description: `Three.${plays({ output: { n: 3 } })}`,
    serviceTier: '',
    reasoningEffort: '',
  })
  const three = (await api.rested(sticky)).status
  book.equal(
    'empty leaves tier and effort unchanged (sticky)',
    [three.serviceTier, three.reasoningEffort, three.output, three.model],
    ['fast', 'none', '{"n":3}', 'gpt-5.5'],
  )
  await api.kill(sticky)
}
