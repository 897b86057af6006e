import { randomUUID } from 'node:crypto'
import { waitFor, type Random } from '@skein/testkit'
import type { GitHubFront } from './github-front.ts'
import { STRANGE } from './reviewers.ts'
import { sendWebhook } from './send-webhook.ts'

export const DESK = 'desk'
const REPLY_MS = 240_000
const REPLY = '<!-- skein start'

/** An issue in which an agent was asked for, twice. */
export interface Asked {
  readonly number: number
  /** What the second request says. */
  readonly more: string
  /** How many of the two requests got a reply in time. */
  readonly replied: number
  readonly refused: readonly number[]
}

/** People who want agents to work on issues, and a stranger who does too. */
export class Askers {
  readonly #front: GitHubFront
  readonly #urls: readonly string[]
  readonly #random: Random

  constructor(front: GitHubFront, urls: readonly string[], random: Random) {
    this.#front = front
    this.#urls = urls
    this.#random = random
  }

  /** A label or a mention starts an agent; then a mention continues it. Each is told by several webhooks. */
  async ask(): Promise<Asked> {
    const { emulator } = this.#front
    const isMention = this.#random.chance(0.5)
    const issue = { title: 'The desk is slow', body: isMention ? '@skein make it fast' : 'It is slow.' }
    const { number } = (await emulator.post(`/repos/acme/${DESK}/issues`, issue)) as { number: number }
    if (!isMention) await emulator.post(`/repos/acme/${DESK}/issues/${number}/labels`, { labels: ['agent'] })
    await this.#comment(number, `@skein ${STRANGE} ${randomUUID()}`, 'mallory')
    const first = await this.#tell(number, ['issues', 'issues', 'issue_comment'])
    const more = `@skein also change ${randomUUID()}`
    if (!(await this.#untilReplied(number, 1))) return { number, more, replied: 0, refused: first }
    await this.#comment(number, more, 'alice')
    const second = await this.#tell(number, ['issue_comment', 'issues'])
    const replied = (await this.#untilReplied(number, 2)) ? 2 : 1
    return { number, more, replied, refused: [...first, ...second] }
  }

  async prepare(): Promise<void> {
    await this.#front.emulator.post(`/repos/acme/${DESK}/labels`, { name: 'agent', color: 'ededed' })
  }

  /** What was said to those who asked, as the host has it. */
  async repliesOn(number: number): Promise<readonly string[]> {
    const comments = (await this.#front.emulator.get(
      `/repos/acme/${DESK}/issues/${number}/comments?per_page=100`,
    )) as { body: string }[]
    return comments.map(({ body }) => body).filter((body) => body.includes(REPLY))
  }

  async #comment(number: number, body: string, by: 'alice' | 'mallory'): Promise<void> {
    await this.#front.emulator.post(`/repos/acme/${DESK}/issues/${number}/comments`, { body }, by)
  }

  /** Returns what was answered instead of 202. */
  async #tell(number: number, events: readonly string[]): Promise<number[]> {
    const content = { issue: { number }, repository: { full_name: `acme/${DESK}` } }
    const answers = await Promise.all(events.map((event) => sendWebhook(this.#urls, event, content)))
    return answers
      .flat()
      .map(({ status }) => status)
      .filter((status) => status !== 202)
  }

  #untilReplied(number: number, amount: number): Promise<boolean> {
    const replies = () => this.#front.postedOn(number, DESK).filter((body) => body.includes(REPLY)).length
    return waitFor(() => replies() >= amount, {
      what: 'a reply',
      timeoutMs: REPLY_MS,
      intervalMs: 500,
    }).catch(() => false)
  }
}
