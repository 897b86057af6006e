import { pageQuery, tenantQuery, type CatalogOptions, type CatalogPageOptions } from './catalog.ts'
import type {
  DeadLetter,
  Delivery,
  IntegrationEntry,
  ListDeadLettersResponse,
  ListDeliveriesResponse,
  ReadDeliveryResponse,
  ReplayDeliveriesRequest,
  ReplayDeliveriesResponse,
  TestIntegrationResponse,
} from './generated/types.ts'
import { Automation, type AutomationOptions } from './automation.ts'
import { readPages } from './read-pages.ts'

/**
 * Which requests of the log to read.
 *
 * @example
 * const { deliveries } = await skein.integrations.listDeliveries('chat', { failed: true, pageSize: 20 })
 */
export interface DeliveryPageOptions extends CatalogPageOptions {
  /** Only requests that failed. */
  readonly failed?: boolean | undefined
}

/**
 * Webhooks: their state, what was sent, and replays. They are configured in the catalog, as resources of
 * the kind `integration`.
 *
 * @example
 * for (const { name, state } of await skein.integrations.list()) console.log(name, state)
 */
export class Integrations extends Automation {
  /**
   * All integrations, with the state of each.
   *
   * @example
   * const failing = (await skein.integrations.list()).filter(({ state }) => state !== 'ACTIVE')
   */
  async list({ tenant, ...options }: CatalogOptions = {}): Promise<readonly IntegrationEntry[]> {
    const { integrations } = await this.connection.call(
      'listIntegrations',
      { query: tenantQuery(tenant) },
      options,
    )
    return integrations
  }

  /**
   * Requests of the last seven days, newest first. Reads further pages as needed.
   *
   * @example
   * for await (const { type, status, error } of skein.integrations.deliveries('chat', { failed: true })) {
   *   console.log(type, status, error)
   * }
   */
  deliveries(name: string, options: DeliveryPageOptions = {}): AsyncGenerator<Delivery, void> {
    return readPages(
      (pageToken = options.pageToken) => this.listDeliveries(name, { ...options, pageToken }),
      ({ deliveries }) => deliveries,
    )
  }

  /**
   * One page of the same.
   *
   * @example
   * const { deliveries, nextPageToken } = await skein.integrations.listDeliveries('chat', { pageSize: 20 })
   */
  listDeliveries(name: string, options: DeliveryPageOptions = {}): Promise<ListDeliveriesResponse> {
    const query = { ...pageQuery(options), ...(options.failed === true && { failed: 'true' as const }) }
    return this.connection.call('listDeliveries', { params: { name }, query }, options)
  }

  /**
   * One request of the log, with what was sent.
   *
   * @example
   * const { deliveries } = await skein.integrations.listDeliveries('chat', { pageSize: 1 })
   * for (const delivery of deliveries) console.log(await skein.integrations.delivery('chat', delivery))
   */
  delivery(
    name: string,
    { id, time }: Pick<Delivery, 'id' | 'time'>,
    { tenant, ...options }: CatalogOptions = {},
  ): Promise<ReadDeliveryResponse> {
    const call = { params: { name, deliveryId: id }, query: { ...tenantQuery(tenant), time } }
    return this.connection.call('readDelivery', call, options)
  }

  /**
   * What was given up, newest first. Reads further pages as needed.
   *
   * @example
   * for await (const { agentId, error } of skein.integrations.deadLetters('chat')) console.log(agentId, error)
   */
  deadLetters(name: string, options: CatalogPageOptions = {}): AsyncGenerator<DeadLetter, void> {
    return readPages(
      (pageToken = options.pageToken) => this.listDeadLetters(name, { ...options, pageToken }),
      ({ deadLetters }) => deadLetters,
    )
  }

  /**
   * One page of the same.
   *
   * @example
   * const { deadLetters } = await skein.integrations.listDeadLetters('chat', { pageSize: 20 })
   */
  listDeadLetters(name: string, options: CatalogPageOptions = {}): Promise<ListDeadLettersResponse> {
    return this.connection.call('listDeadLetters', { params: { name }, query: pageQuery(options) }, options)
  }

  /**
   * Sends events again, with the ids they had: of one agent, everything since a time, or all dead letters.
   *
   * @example
   * await skein.integrations.replay('chat', { deadLetters: true })
   */
  replay(
    name: string,
    wanted: Omit<ReplayDeliveriesRequest, 'tenant'>,
    { tenant, ...options }: CatalogOptions = {},
  ): Promise<ReplayDeliveriesResponse> {
    return this.connection.call(
      'replayDeliveries',
      { params: { name }, body: { ...wanted, tenant } },
      options,
    )
  }

  /**
   * Sends a test event and waits for the receiver's response.
   *
   * @example
   * const { isDelivered, error } = await skein.integrations.test('chat')
   */
  test(name: string, { tenant, ...options }: CatalogOptions = {}): Promise<TestIntegrationResponse> {
    return this.connection.call('testIntegration', { params: { name }, body: { tenant } }, options)
  }

  /**
   * Stops sending. Events that happen meanwhile are not sent later.
   *
   * @example
   * await skein.integrations.pause('chat')
   */
  async pause(name: string, options: AutomationOptions = {}): Promise<void> {
    await this.change(name, { disabled: true }, options)
  }

  /**
   * Sends events from now on, also if the service had disabled the integration.
   *
   * @example
   * await skein.integrations.resume('chat')
   */
  async resume(name: string, options: AutomationOptions = {}): Promise<void> {
    await this.change(name, { disabled: false }, options)
  }
}
