import type * as a from './answers.ts'
import { shown } from './book.ts'
import { Http, type CallOptions } from './http.ts'
import { RUN_MS, until } from './until.ts'

type Fields = Record<string, unknown>

export const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')

export const documentOf = (payload: string): a.Document =>
  JSON.parse(Buffer.from(payload, 'base64').toString()) as a.Document

/** The operations scenarios use, with bodies as loose as a client could send them. */
export class Api extends Http {
  whoami(options?: CallOptions): Promise<a.Answer<a.Caller>> {
    return this.get('/v1/whoami', options)
  }

  /** Completes the id of the caller's own agent, as responses do. */
  async fullIds() {
    const { tenant, ownerProvider, account } = (await this.whoami()).json
    return (agentId: a.AgentId) => ({ tenant, ownerProvider, account, ...agentId })
  }

  spawn(agentId: unknown, description: string, more: Fields = {}, options?: CallOptions) {
    return this.post<a.Spawned>('/v1/agent/spawn', { agentId, description, ...more }, options)
  }

  status(agentId: unknown, options?: CallOptions) {
    return this.post<a.Status>('/v1/agent/status', { agentId }, options)
  }

  async stateOf(agentId: a.AgentId): Promise<a.Status> {
    return (await this.status(agentId)).json
  }

  wait(agentId: a.AgentId, options?: CallOptions) {
    return this.post<a.Waited>('/v1/agent/wait', { agentId }, options)
  }

  queue(agentId: a.AgentId, more: Fields = {}, options?: CallOptions) {
    return this.post<{ followUpId: string }>('/v1/agent/queue', { agentId, ...more }, options)
  }

  remove(agentId: a.AgentId, followUpId: string, options?: CallOptions) {
    return this.post<{ removed: boolean }>('/v1/agent/queue/remove', { agentId, followUpId }, options)
  }

  clear(agentId: a.AgentId, options?: CallOptions) {
    return this.post<{ cleared: number }>('/v1/agent/clear-follow-ups', { agentId }, options)
  }

  stop(agentId: a.AgentId, more: Fields = {}, options?: CallOptions) {
    return this.post('/v1/agent/stop-turn', { agentId, ...more }, options)
  }

  kill(agentId: a.AgentId, options?: CallOptions) {
    return this.post('/v1/agent/kill', { agentId }, options)
  }

  list(body: Fields = {}, options?: CallOptions) {
    return this.post<{ entries: a.Entry[]; nextPageToken: string }>('/v1/agents', body, options)
  }

  async timeline(agentId: a.AgentId): Promise<a.TimelineEvent[]> {
    return (await this.post<a.Timeline>('/v1/agent/timeline', { agentId })).json.events
  }

  write(kind: string, name: string, document: unknown, more: Fields = {}, options?: CallOptions) {
    const body = { payload: base64(document), ...more }
    return this.post<a.Resource>(`/v1/catalog/${kind}/${name}`, body, options)
  }

  read(kind: string, name: string, options?: CallOptions) {
    return this.get<a.Resource>(`/v1/catalog/${kind}/${name}`, options)
  }

  patch(kind: string, name: string, document: unknown, updateMask: string, more: Fields = {}) {
    return this.write(kind, name, document, { updateMask, ...more })
  }

  async readDocument(kind: string, name: string): Promise<a.Document> {
    return documentOf((await this.read(kind, name)).json.payload)
  }

  delete(kind: string, name: string) {
    return this.call('DELETE', `/v1/catalog/${kind}/${name}`)
  }

  /** Creates a token and returns its key. */
  async keyFor(name: string, document: Fields): Promise<string> {
    const answer = await this.write('token', name, document)
    if (answer.status !== 200) throw new Error(`no token ${name}: ${shown(answer)}`)
    return documentOf(answer.json.payload).key
  }

  running(agentId: a.AgentId, runId?: string): Promise<a.Status | undefined> {
    return until(async () => {
      const state = await this.stateOf(agentId)
      return state.phase === 'PHASE_RUNNING' && (runId === undefined || state.runCount === runId) && state
    })
  }

  /** The run is in its long silence: it has spoken and spent. */
  asleep(agentId: a.AgentId, runId?: string): Promise<a.Status | undefined> {
    return until(async () => {
      const state = await this.stateOf(agentId)
      if (state.phase !== 'PHASE_RUNNING' || (runId !== undefined && state.runCount !== runId)) return false
      const events = await this.timeline(agentId)
      return (
        events.some((event) => event.runId === state.runCount && event.type === 'run.tool-called') && state
      )
    })
  }

  async rested(agentId: a.AgentId): Promise<a.Waited> {
    return (await this.wait(agentId, { signal: AbortSignal.timeout(RUN_MS) })).json
  }
}
