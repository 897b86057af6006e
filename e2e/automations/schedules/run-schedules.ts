import { waitFor } from '@skein/testkit'
import type { Report } from '../../crash/report.ts'
import { releaseHolds } from '../havoc.ts'
import { writeResource, type Installation } from '../installation.ts'
import { query } from '../query.ts'
import { readAgents, readMessages } from '../read-agents.ts'
import { checkSchedules, type Firing, type ScheduleFigures } from './check-schedules.ts'
import { documentOf, SCHEDULES, timesOf } from './planned-schedules.ts'

const OPEN = `outcome in ('pending', 'waiting', 'starting')`

/** Six schedules that fire on their own. */
export class Schedules {
  readonly #installation: Installation
  readonly #startAt: number
  /** When all of them were there. */
  #writtenAt = 0
  #until = 0
  #stuck: string[] = []

  private constructor(installation: Installation, startAt: number) {
    this.#installation = installation
    this.#startAt = startAt
  }

  static async start(installation: Installation): Promise<Schedules> {
    const schedules = new Schedules(installation, Math.ceil(Date.now() / 1000) * 1000)
    await schedules.#write(false)
    schedules.#writtenAt = Date.now()
    return schedules
  }

  async #write(paused: boolean): Promise<void> {
    for (const schedule of SCHEDULES) {
      const document = documentOf(schedule, { startAt: this.#startAt, paused })
      await writeResource(this.#installation.api, 'schedule', schedule.name, document)
    }
  }

  /** Waits until everything due by now is decided, pauses, and waits until all that was decided is done. */
  async settle(restMs: number): Promise<void> {
    this.#until = Date.now()
    await this.#wait('firings to be decided', restMs, () => this.#undecided())
    await this.#write(true)
    await this.#wait('firings to be done', restMs, () => this.#open())
  }

  async #wait(what: string, timeoutMs: number, find: () => Promise<string[]>): Promise<void> {
    let left: string[] = []
    await waitFor(
      async () => {
        await releaseHolds(this.#installation)
        left = await find()
        return left.length === 0
      },
      { what, timeoutMs, intervalMs: 700 },
    ).catch(() => this.#stuck.push(...left))
  }

  get #decided(): { after: number; until: number } {
    return { after: this.#writtenAt, until: this.#until }
  }

  async #undecided(): Promise<string[]> {
    const rows = await query<{ name: string; until: Date }>(
      this.#installation.postgres,
      'select name, decided_until as until from schedule_timer',
    )
    const decided = new Map(rows.map(({ name, until }) => [name, until.getTime()]))
    return SCHEDULES.filter((schedule) => {
      const last = timesOf(schedule, this.#startAt, this.#decided).at(-1)
      return last !== undefined && (decided.get(schedule.name) ?? 0) < last
    }).map(({ name }) => name)
  }

  async #open(): Promise<string[]> {
    const rows = await query<{ name: string }>(
      this.#installation.postgres,
      `select schedule || ' ' || due_at || ' ' || outcome as name from schedule_firing where ${OPEN}`,
    )
    return rows.map(({ name }) => name)
  }

  async check(report: Report): Promise<ScheduleFigures> {
    const { postgres } = this.#installation
    report.check('stuck', 'every firing comes to an end', SCHEDULES.length, this.#stuck)
    return checkSchedules(report, {
      startAt: this.#startAt,
      decided: this.#decided,
      firings: await this.#firings(),
      agents: await readAgents(postgres),
      messages: await readMessages(postgres),
    })
  }

  async #firings(): Promise<Firing[]> {
    const rows = await query<{
      schedule: string
      due_at: Date
      outcome: string
      detail: string
      created_at: Date
      ended_at: Date | null
    }>(
      this.#installation.postgres,
      'select schedule, due_at, outcome, detail, created_at, ended_at from schedule_firing order by due_at',
    )
    return rows.map((row) => ({
      schedule: row.schedule,
      dueAt: row.due_at.getTime(),
      outcome: row.outcome,
      detail: row.detail,
      recordedAt: row.created_at.getTime(),
      endedAt: row.ended_at?.getTime(),
    }))
  }
}
