import {
  pageQuery,
  tenantQuery,
  type CatalogListOptions,
  type CatalogOptions,
  type CatalogPageOptions,
} from './catalog.ts'
import { encodeDocument, type CatalogDocument } from './document-codec.ts'
import type {
  ListTriggerDeliveriesResponse,
  ListTriggersResponse,
  ReadTriggerDeliveryResponse,
  TestTriggerResponse,
  TriggerDelivery,
  TriggerEntry,
} from './generated/types.ts'
import { Automation, type AutomationOptions } from './automation.ts'
import { readPages } from './read-pages.ts'

/**
 * A sample request for a trigger that need not exist.
 *
 * @example
 * const sample = { name: 'tickets', body: '{"action":"opened"}', headers: { 'x-github-event': 'issues' } }
 * await skein.triggers.test({ profile: 'night-shift', workspace: 'shop', spawn: { description: 'Look.' } }, sample)
 */
export interface TriggerSample {
  /** The trigger's name. Default: test. */
  readonly name?: string | undefined
  /** The body, as JSON. */
  readonly body: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Requests that triggers got, and what became of them. The documents themselves are in the catalog.
 *
 * @example
 * for await (const { time, outcome, reason } of skein.triggers.deliveries('tickets')) console.log(time, outcome, reason)
 */
export class Triggers extends Automation {
  /**
   * All triggers by name, with the state of each.
   *
   * @example
   * for await (const { name, paused, last } of skein.triggers.list()) console.log(name, paused, last)
   */
  list(options: CatalogListOptions = {}): AsyncGenerator<TriggerEntry, void> {
    return readPages(
      (pageToken) => this.listPage({ ...options, pageToken }),
      ({ triggers }) => triggers,
    )
  }

  /**
   * One page of the same.
   *
   * @example
   * const { triggers, nextPageToken } = await skein.triggers.listPage({ pageSize: 20 })
   */
  listPage(options: CatalogPageOptions = {}): Promise<ListTriggersResponse> {
    return this.connection.call('listTriggers', { query: pageQuery(options) }, options)
  }

  /**
   * Requests of the last seven days, newest first. Reads further pages as needed.
   *
   * @example
   * for await (const { id, outcome, agent } of skein.triggers.deliveries('tickets')) console.log(id, outcome, agent)
   */
  deliveries(name: string, options: CatalogListOptions = {}): AsyncGenerator<TriggerDelivery, void> {
    return readPages(
      (pageToken) => this.listDeliveries(name, { ...options, pageToken }),
      ({ deliveries }) => deliveries,
    )
  }

  /**
   * One page of the same.
   *
   * @example
   * const { deliveries, nextPageToken } = await skein.triggers.listDeliveries('tickets', { pageSize: 20 })
   */
  listDeliveries(name: string, options: CatalogPageOptions = {}): Promise<ListTriggerDeliveriesResponse> {
    const call = { params: { name }, query: pageQuery(options) }
    return this.connection.call('listTriggerDeliveries', call, options)
  }

  /**
   * One request with its headers and its body in base64.
   *
   * @example
   * const { headers, body } = await skein.triggers.delivery('tickets', '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10')
   */
  delivery(
    name: string,
    deliveryId: string,
    { tenant, ...options }: CatalogOptions = {},
  ): Promise<ReadTriggerDeliveryResponse> {
    const call = { params: { name, deliveryId }, query: tenantQuery(tenant) }
    return this.connection.call('readTriggerDelivery', call, options)
  }

  /**
   * Applies a request again. Returns the id of the new delivery.
   *
   * @example
   * const again = await skein.triggers.redeliver('tickets', '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10')
   */
  async redeliver(
    name: string,
    deliveryId: string,
    { tenant, justification, ...options }: AutomationOptions = {},
  ): Promise<string> {
    const call = { params: { name, deliveryId }, body: { tenant, justification } }
    return (await this.connection.call('redeliver', call, options)).deliveryId
  }

  /**
   * What a document would do with a request. Nothing happens.
   *
   * @example
   * const { document } = await skein.catalog.get('trigger', 'tickets')
   * const { outcome, reason } = await skein.triggers.test(document, { body: '{"action":"opened"}' })
   */
  test(
    document: CatalogDocument,
    { name, body, headers }: TriggerSample,
    { tenant, ...options }: CatalogOptions = {},
  ): Promise<TestTriggerResponse> {
    const call = {
      body: { tenant, name, payload: encodeDocument(document), body, headers: { ...headers } },
    }
    return this.connection.call('testTrigger', call, options)
  }

  /**
   * Requests are only recorded until it is resumed.
   *
   * @example
   * await skein.triggers.pause('tickets')
   */
  async pause(name: string, options: AutomationOptions = {}): Promise<void> {
    await this.change(name, { paused: true }, options)
  }

  /**
   * New requests are applied again.
   *
   * @example
   * await skein.triggers.resume('tickets')
   */
  async resume(name: string, options: AutomationOptions = {}): Promise<void> {
    await this.change(name, { paused: false }, options)
  }
}
