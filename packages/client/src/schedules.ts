import {
  tenantQuery,
  type Catalog,
  type CatalogListOptions,
  type CatalogOptions,
  type CatalogPageOptions,
} from './catalog.ts'
import type { Connection, RequestOptions } from './call/connection.ts'
import type {
  Firing,
  ListFiringsResponse,
  ListSchedulesResponse,
  PreviewScheduleRequest,
  ScheduleEntry,
  ScheduleStatus,
} from './generated/types.ts'
import { readPages } from './read-pages.ts'

/**
 * Runs a schedule by hand, or changes whether it is paused.
 *
 * @example
 * await skein.schedules.run('nightly-deps', { justification: 'a release is due' })
 */
export interface ScheduleOptions extends CatalogOptions {
  /** Recorded in the audit log. Required for operators. */
  readonly justification?: string | undefined
}

/**
 * When schedules fire, and what became of it. The documents themselves are in the catalog.
 *
 * @example
 * for await (const { name, nextTime } of skein.schedules.list()) console.log(name, nextTime)
 */
export class Schedules {
  readonly #connection: Connection
  readonly #catalog: Catalog

  /** @internal */
  constructor(connection: Connection, catalog: Catalog) {
    this.#connection = connection
    this.#catalog = catalog
  }

  /**
   * All schedules by name, with their last and next firing.
   *
   * @example
   * for await (const { name, paused, nextTime } of skein.schedules.list()) console.log(name, paused, nextTime)
   */
  list(options: CatalogListOptions = {}): AsyncGenerator<ScheduleEntry, void> {
    return readPages(async (pageToken) => {
      const { schedules, nextPageToken } = await this.listPage({ ...options, pageToken })
      return { entries: schedules, nextPageToken }
    })
  }

  /**
   * One page of the same.
   *
   * @example
   * const { schedules, nextPageToken } = await skein.schedules.listPage({ pageSize: 20 })
   */
  listPage({
    tenant,
    pageSize,
    pageToken,
    ...options
  }: CatalogPageOptions = {}): Promise<ListSchedulesResponse> {
    const query = { ...tenantQuery(tenant), pageSize, pageToken }
    return this.#connection.call('listSchedules', { query }, options)
  }

  /**
   * One schedule with its next ten firings.
   *
   * @example
   * const { nextFirings } = await skein.schedules.get('nightly-deps')
   */
  get(name: string, { tenant, ...options }: CatalogOptions = {}): Promise<ScheduleStatus> {
    return this.#connection.call('readSchedule', { params: { name }, query: tenantQuery(tenant) }, options)
  }

  /**
   * What became of its firings in the last 30 days, newest first.
   *
   * @example
   * for await (const { dueTime, outcome, detail } of skein.schedules.firings('nightly-deps')) {
   *   console.log(dueTime, outcome, detail)
   * }
   */
  firings(name: string, options: CatalogListOptions = {}): AsyncGenerator<Firing, void> {
    return readPages(async (pageToken) => {
      const { firings, nextPageToken } = await this.listFirings(name, { ...options, pageToken })
      return { entries: firings, nextPageToken }
    })
  }

  /**
   * One page of the same.
   *
   * @example
   * const { firings, nextPageToken } = await skein.schedules.listFirings('nightly-deps', { pageSize: 20 })
   */
  listFirings(
    name: string,
    { tenant, pageSize, pageToken, ...options }: CatalogPageOptions = {},
  ): Promise<ListFiringsResponse> {
    const query = { ...tenantQuery(tenant), pageSize, pageToken }
    return this.#connection.call('listFirings', { params: { name }, query }, options)
  }

  /**
   * Adds a firing that is due now. Returns the time that identifies it in the log.
   *
   * @example
   * const dueTime = await skein.schedules.run('nightly-deps')
   */
  async run(name: string, { tenant, justification, ...options }: ScheduleOptions = {}): Promise<string> {
    const call = { params: { name }, body: { tenant, justification } }
    return (await this.#connection.call('runSchedule', call, options)).dueTime
  }

  /**
   * Stops a schedule from firing until `resume`.
   *
   * @example
   * await skein.schedules.pause('nightly-deps')
   */
  async pause(name: string, options: ScheduleOptions = {}): Promise<void> {
    await this.#catalog.patch('schedule', name, { paused: true }, { ...options, mask: ['paused'] })
  }

  /**
   * Lets it fire again. What would have fired in the meantime is not caught up on.
   *
   * @example
   * await skein.schedules.resume('nightly-deps')
   */
  async resume(name: string, options: ScheduleOptions = {}): Promise<void> {
    await this.#catalog.patch('schedule', name, { paused: false }, { ...options, mask: ['paused'] })
  }

  /**
   * The next ten firings of a schedule that does not have to exist.
   *
   * @example
   * const firings = await skein.schedules.preview({ cron: '30 2 * * *', timeZone: 'Europe/Berlin' })
   * console.log(firings.map(({ dueTime }) => dueTime))
   */
  async preview(
    times: PreviewScheduleRequest,
    options: RequestOptions = {},
  ): Promise<ScheduleStatus['nextFirings']> {
    return (await this.#connection.call('previewSchedule', { body: times }, options)).nextFirings
  }
}
