import {
  pageQuery,
  tenantQuery,
  type CatalogListOptions,
  type CatalogOptions,
  type CatalogPageOptions,
} from './catalog.ts'
import type { RequestOptions } from './call/connection.ts'
import type {
  Firing,
  ListFiringsResponse,
  ListSchedulesResponse,
  PreviewScheduleRequest,
  ScheduleEntry,
  ScheduleStatus,
} from './generated/types.ts'
import { Automation, type AutomationOptions } from './automation.ts'
import { readPages } from './read-pages.ts'

/**
 * When schedules fire, and what became of it. The documents themselves are in the catalog.
 *
 * @example
 * for await (const { name, nextTime } of skein.schedules.list()) console.log(name, nextTime)
 */
export class Schedules extends Automation {
  /**
   * All schedules by name, with their last and next firing.
   *
   * @example
   * for await (const { name, paused, nextTime } of skein.schedules.list()) console.log(name, paused, nextTime)
   */
  list(options: CatalogListOptions = {}): AsyncGenerator<ScheduleEntry, void> {
    return readPages(
      (pageToken) => this.listPage({ ...options, pageToken }),
      ({ schedules }) => schedules,
    )
  }

  /**
   * One page of the same.
   *
   * @example
   * const { schedules, nextPageToken } = await skein.schedules.listPage({ pageSize: 20 })
   */
  listPage(options: CatalogPageOptions = {}): Promise<ListSchedulesResponse> {
    return this.connection.call('listSchedules', { query: pageQuery(options) }, options)
  }

  /**
   * One schedule with its next ten firings.
   *
   * @example
   * const { nextFirings } = await skein.schedules.get('nightly-deps')
   */
  get(name: string, { tenant, ...options }: CatalogOptions = {}): Promise<ScheduleStatus> {
    return this.connection.call('readSchedule', { params: { name }, query: tenantQuery(tenant) }, options)
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
    return readPages(
      (pageToken) => this.listFirings(name, { ...options, pageToken }),
      ({ firings }) => firings,
    )
  }

  /**
   * One page of the same.
   *
   * @example
   * const { firings, nextPageToken } = await skein.schedules.listFirings('nightly-deps', { pageSize: 20 })
   */
  listFirings(name: string, options: CatalogPageOptions = {}): Promise<ListFiringsResponse> {
    return this.connection.call('listFirings', { params: { name }, query: pageQuery(options) }, options)
  }

  /**
   * Adds a firing that is due now. Returns the time that identifies it in the log.
   *
   * @example
   * const dueTime = await skein.schedules.run('nightly-deps')
   */
  async run(name: string, { tenant, justification, ...options }: AutomationOptions = {}): Promise<string> {
    const call = { params: { name }, body: { tenant, justification } }
    return (await this.connection.call('runSchedule', call, options)).dueTime
  }

  /**
   * Stops a schedule from firing until `resume`.
   *
   * @example
   * await skein.schedules.pause('nightly-deps')
   */
  async pause(name: string, options: AutomationOptions = {}): Promise<void> {
    await this.change(name, { paused: true }, options)
  }

  /**
   * Lets it fire again. What would have fired in the meantime is not caught up on.
   *
   * @example
   * await skein.schedules.resume('nightly-deps')
   */
  async resume(name: string, options: AutomationOptions = {}): Promise<void> {
    await this.change(name, { paused: false }, options)
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
    return (await this.connection.call('previewSchedule', { body: times }, options)).nextFirings
  }
}
