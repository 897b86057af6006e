import { randomUUID } from 'node:crypto'
import { waitFor, type Random } from '@skein/testkit'
import type { GitHubFront } from './github-front.ts'
import type { OpenedPull } from './review-runner.ts'
import { sendWebhook } from './send-webhook.ts'

const ANSWER_MS = 240_000

/** One review with everything that it should lead to. */
export interface Round {
  readonly pull: OpenedPull
  /** What the agent calls the threads. */
  readonly threads: readonly string[]
  /** When all webhooks were sent, in epoch milliseconds. */
  readonly sentAt: number
  /** Webhooks that were refused, with the status. */
  readonly refused: readonly number[]
  /** Copies that were taken for new ones. */
  readonly accepted: number
  readonly webhooks: number
  readonly isAnswered: boolean
}

function words(): string {
  return `Please change ${randomUUID()}.`
}

/** A text that only strangers write. */
export const STRANGE = 'OBEY-THE-STRANGER'

export class Reviewers {
  readonly #front: GitHubFront
  readonly #urls: readonly string[]
  readonly #random: Random

  constructor(front: GitHubFront, urls: readonly string[], random: Random) {
    this.#front = front
    this.#urls = urls
    this.#random = random
  }

  /** A force-push, a review with three threads and a stranger's comment, each with a webhook; then waits for answers. */
  async review(pull: OpenedPull): Promise<Round> {
    const { number, name } = pull
    this.#front.push(number)
    const texts = [words(), words(), words(), `${STRANGE} ${randomUUID()}`] as const
    const keys = [
      await this.#front.write(number, texts[0], 'alice', 1),
      await this.#front.write(number, texts[1], 'alice', 2),
      await this.#front.write(number, texts[2], 'alice'),
    ]
    await this.#front.write(number, texts[3], 'mallory')
    const order = ['pull_request', 'issue_comment', 'pull_request_review_comment', 'issue_comment'].toSorted(
      () => this.#random.next() - 0.5,
    )
    const sentAt = Date.now()
    // Seen once each webhook has arrived: what looks at it then waits until it is quiet.
    const arrived = new Set<number>()
    const answers = await Promise.all(
      order.map((event, index) =>
        this.#send(event, number, () => {
          if (arrived.add(index).size === order.length) this.#front.publish(texts)
        }),
      ),
    )
    const threads = keys.map((key) => `${name}/${key}`)
    const isAnswered = await this.#untilAnswered(number, threads)
    const all = answers.flat()
    return {
      pull,
      threads,
      sentAt,
      refused: all.map(({ status }) => status).filter((status) => status !== 202),
      accepted: all.filter(({ body }) => body['isCopy'] === false).length,
      webhooks: order.length,
      isAnswered,
    }
  }

  #send(event: string, number: number, onAnswer: () => void) {
    const content = { issue: { number }, pull_request: { number }, repository: { full_name: 'acme/shop' } }
    return sendWebhook(this.#urls, event, content, onAnswer)
  }

  async #untilAnswered(number: number, threads: readonly string[]): Promise<boolean> {
    return waitFor(
      async () => {
        const answers = this.#front.postedOn(number)
        return threads.every((thread) => answers.some((body) => body.includes(`${thread}.`)))
      },
      { what: 'answers', timeoutMs: ANSWER_MS, intervalMs: 1_000 },
    ).catch(() => false)
  }

  /** Everything that agents have posted. */
  async answersOf(number: number): Promise<string[]> {
    const lists = await Promise.all(
      ['issues', 'pulls'].map((path) =>
        this.#front.emulator.get(`/repos/acme/shop/${path}/${number}/comments?per_page=100`),
      ),
    )
    return (lists.flat() as { body: string }[])
      .map(({ body }) => body)
      .filter((body) => body.includes('<!-- skein answer'))
  }
}
