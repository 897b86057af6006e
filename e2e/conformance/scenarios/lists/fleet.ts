import type { Entry } from '../../answers.ts'
import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { nameOf, RFC3339_UTC_MS } from '../../shapes.ts'
import { idle } from '../../simulated.ts'

interface Fleet {
  entries: (Entry & { nextDeliverAt: string })[]
  nextPageToken: string
  cursor: string
}

interface Summary {
  phases: { phase: string; agents: number }[]
  spend: unknown[]
  workspaces: { workspace: string; agents: number }[]
}

interface RunnerList {
  runners: { pools: string[] }[]
  pools: { name: string; queued: number; queuedSince: string; delayed: number; running: number }[]
}

const at = (...agent: string[]) => ({ workspace: 'fleet', agent })

export async function fleet(book: Book, api: Api): Promise<void> {
  await api.write('pool', 'docks', {})
  await api.write('workspace', 'fleet', { pool: 'docks' })
  for (const path of [['ship'], ['ship', 'boat'], ['ship', 'boat', 'raft'], ['other']])
    await api.spawn(at(...path), 'x', { labels: { kind: 'vessel' } })
  await api.kill(at('other'))
  const list = (more = {}) => api.post<Fleet>('/v1/fleet', { workspace: 'fleet', ...more })
  const names = async (more = {}) => (await list(more)).json.entries.map(nameOf)
  book.equal('has agents of all levels, newest first', await names(), ['ship/boat/raft', 'ship/boat', 'ship'])
  book.equal('with under, that agent and what is below it', await names({ under: at('ship', 'boat') }), [
    'ship/boat/raft',
    'ship/boat',
  ])
  book.row(
    'with includeTerminal, those that have ended',
    (await names({ includeTerminal: true })).includes('other'),
  )
  book.equal('labels are a filter', await names({ labelSelector: 'kind=plane' }), [])
  book.invalid(
    'under without a workspace names under.workspace',
    await list({ under: { agent: ['ship'] } }),
    {
      field: 'under.workspace',
    },
  )
  book.notFound('under an agent that does not exist is NOT_FOUND', await list({ under: idle('never-was') }))
  const first = (await list({ pageSize: 2 })).json
  const second = (await list({ pageSize: 2, pageToken: first.nextPageToken })).json
  book.equal('has pages, without loss or repeat', [...first.entries, ...second.entries].map(nameOf), [
    'ship/boat/raft',
    'ship/boat',
    'ship',
  ])
  const deliverAt = new Date(Date.now() + 86_400_000).toISOString()
  await api.queue(at('ship'), { description: 'x', deliverAt })
  book.equal(
    'an entry says when the next deferred message comes',
    (await list()).json.entries.map(({ nextDeliverAt }) => nextDeliverAt),
    ['', '', deliverAt],
  )
  await countsWork(book, api)
  await watchesOn(book, api, first.cursor)
  await summarizes(book, api)
  await api.kill(at('ship'))
}

async function countsWork(book: Book, api: Api): Promise<void> {
  const { pools, runners } = (await api.get<RunnerList>('/v1/runners')).json
  const docks = pools.find(({ name }) => name === 'docks')
  book.equal(
    'a pool without a runner says how many runs wait in it',
    [docks?.queued, docks?.delayed, docks?.running],
    [3, 0, 0],
  )
  book.row('… and since when', RFC3339_UTC_MS.test(docks?.queuedSince ?? ''), docks)
  book.row(
    'a pool with a runner is listed with it',
    pools.some(({ name }) => name === 'default') &&
      runners.some((runner) => runner.pools.includes('default')),
    { pools, runners },
  )
  const runner = { key: await api.keyFor('docker', { account: 'd', role: 'runner', pools: ['docks'] }) }
  book.denied('a runner’s key may not list runners: PERMISSION_DENIED', await api.get('/v1/runners', runner))
}

async function watchesOn(book: Book, api: Api, after: string): Promise<void> {
  const agent = { workspace: 'fleet', agent: ['ship', 'dinghy'] }
  await api.spawn(agent, 'x')
  const { baseUrl, apiKey } = api.service
  const stream = await fetch(`${baseUrl}/v1/fleet/watch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workspace: 'fleet', after }),
    signal: AbortSignal.timeout(20_000),
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('dinghy')) break
  }
  book.row('a watch from the cursor of a list misses nothing', text.includes('"dinghy"'), text.slice(0, 300))
  book.row('its events have ids to go on from', /^id: ?\S+/m.test(text), text.slice(0, 300))
}

async function summarizes(book: Book, api: Api): Promise<void> {
  const summarize = (more = {}) => api.post<Summary>('/v1/fleet/summary', { workspace: 'fleet', ...more })
  const summary = (await summarize({ hours: 2 })).json
  const count = (phase: string) => summary.phases.find((each) => each.phase === phase)?.agents
  book.equal('the summary counts agents by phase', [count('PHASE_PENDING'), count('PHASE_CANCELED')], [4, 1])
  book.equal('… and has one entry for each hour', summary.spend.length, 2)
  book.row(
    '… and for each workspace',
    summary.workspaces.some(({ workspace }) => workspace === 'fleet'),
  )
  book.invalid('a summary of no hours is INVALID_ARGUMENT', await summarize({ hours: 0 }), { field: 'hours' })
}
