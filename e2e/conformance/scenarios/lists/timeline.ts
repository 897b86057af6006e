import type { Timeline } from '../../answers.ts'
import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { idle } from '../../simulated.ts'

export async function timelines(book: Book, api: Api): Promise<void> {
  const agent = idle('paged')
  await api.spawn(agent, 'x')
  await api.kill(agent)
  const events = await api.post<Timeline>('/v1/agent/timeline', { agentId: agent, pageSize: 2 })
  const rest = await api.post<Timeline>('/v1/agent/timeline', {
    agentId: agent,
    afterSequence: events.json.events.at(-1)?.sequence,
  })
  book.row(
    'the timeline pages by afterSequence, without loss or repeat',
    events.json.events.length === 2 &&
      rest.json.events[0]?.sequence === '3' &&
      rest.json.events.at(-1)?.sequence === rest.json.lastSequence,
    events.text,
  )
  const stream = await fetch(`${api.service.baseUrl}/v1/agent/watch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ agentId: agent, afterSequence: '1' }),
    signal: AbortSignal.timeout(10_000),
  })
  const chunk = new TextDecoder().decode((await stream.body?.getReader().read())?.value)
  book.row(
    'watch streams the same as server-sent events, from afterSequence on',
    stream.headers.get('content-type')?.startsWith('text/event-stream') && /(^|\n)id: ?2\n/.test(chunk),
    chunk.slice(0, 200),
  )
}
