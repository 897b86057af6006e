import { toAddress, type AgentFilter, type AgentReference } from './agent-filter.ts'
import type { AgentListOptions } from './agent-options.ts'
import { Agent, listAgents, spawnAgent, type SpawnedAgent } from './agent.ts'
import { Catalog, tenantQuery } from './catalog.ts'
import { Connection, type RequestOptions } from './connection.ts'
import type { WatchOptions } from './follow-stream.ts'
import type { OperationTypes } from './generated/operations.ts'
import type { AgentEntry, AuditEntry, Identity, TenantInput } from './generated/types.ts'
import { readPages } from './read-pages.ts'
import type { SenderOptions } from './send-call.ts'
import type { SpawnFields } from './spawn-fields.ts'
import { watchAgents } from './watch-agents.ts'

type AuditQuery = OperationTypes['listAudit']['query']

/**
 * Which entries of the audit log.
 *
 * @example
 * for await (const entry of skein.audit({ account: 'ada', startTime: '2026-11-01T00:00:00Z' })) console.log(entry)
 */
export interface AuditFilter extends Pick<
  AuditQuery,
  'kind' | 'name' | 'account' | 'startTime' | 'endTime' | 'pageSize'
> {
  /** For operators; yours when left out. */
  readonly tenant?: TenantInput | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * A service, as the owner of a key sees it. Makes no request by itself.
 *
 * @example
 * import { Skein } from '@skein/client'
 *
 * const skein = new Skein({ baseUrl: 'https://skein.example.com', apiKey: process.env['SKEIN_API_KEY'] ?? '' })
 * const agent = await skein.spawn({ description: 'Fix the failing test.', workspace: 'shop' })
 * const { reason, status } = await agent.wait()
 * console.log(reason, status.lastMessage)
 */
export class Skein {
  readonly #connection: Connection
  /**
   * The documents that configure the tenant.
   *
   * @example
   * const kinds = await skein.catalog.kinds()
   */
  readonly catalog: Catalog

  constructor(options: SenderOptions) {
    this.#connection = new Connection(options)
    this.catalog = new Catalog(this.#connection)
  }

  /**
   * Who the service takes you for.
   *
   * @example
   * const { account, role } = await skein.whoami()
   */
  whoami(options: RequestOptions = {}): Promise<Identity> {
    return this.#connection.call('whoami', {}, options)
  }

  /**
   * Starts an agent. When the answer is lost the call is sent again and the agent is still spawned once.
   *
   * @example
   * const agent = await skein.spawn({ name: 'fix-checkout', workspace: 'shop', description: 'Fix the checkout.' })
   */
  spawn(fields: SpawnFields, options: RequestOptions = {}): Promise<SpawnedAgent> {
    return spawnAgent(this.#connection, fields, options)
  }

  /**
   * A handle of an agent. Makes no request.
   *
   * @example
   * const docs = skein.agent('shop/release/docs')
   */
  agent(reference: AgentReference): Agent {
    return new Agent(this.#connection, toAddress(reference))
  }

  /**
   * Agents without a parent, or the children of one, newest first.
   *
   * @example
   * for await (const entry of skein.agents({ phases: ['PHASE_WAITING'] })) {
   *   console.log(skein.agent(entry.agentId).name, entry.needsInput)
   * }
   */
  agents(options: AgentListOptions = {}): AsyncGenerator<AgentEntry, void> {
    return listAgents(this.#connection, options)
  }

  /**
   * Each entry of such a list as it is now, and again whenever it changes; one that leaves the list is given once
   * more. A cut connection is opened again. Ends when the signal is aborted.
   *
   * @example
   * const stop = new AbortController()
   * for await (const { agentId, phase } of skein.watchAgents({ account: '*' }, { signal: stop.signal })) {
   *   console.log(skein.agent(agentId).name, phase)
   * }
   */
  watchAgents(filter: AgentFilter = {}, options: WatchOptions = {}): AsyncGenerator<AgentEntry, void> {
    return watchAgents(this.#connection, filter, options)
  }

  /**
   * Who changed what, newest first.
   *
   * @example
   * for await (const { time, account, operation } of skein.audit({ kind: 'persona' })) {
   *   console.log(time, account, operation)
   * }
   */
  audit({ tenant, signal, ...filter }: AuditFilter = {}): AsyncGenerator<AuditEntry, void> {
    return readPages((pageToken) => {
      const query = { ...tenantQuery(tenant), ...filter, pageToken }
      return this.#connection.call('listAudit', { query }, { signal })
    })
  }
}
