import { createHmac, randomUUID } from 'node:crypto'
import { sendCopies } from '../send-copies.ts'

/** How senders prove who they are. */
export const KINDS = ['standard-webhooks', 'github', 'gitlab', 'bearer'] as const

/** One delivery, as its sender knows it. */
export interface SentDelivery {
  readonly trigger: string
  /** What its copies were answered: one id, if nothing is wrong. */
  readonly ids: readonly string[]
  /** Copies that were refused, with the status. */
  readonly refused: readonly number[]
}

/** Sends deliveries to one trigger, each several times at once, to all servers. */
export class TriggerSender {
  readonly #urls: readonly string[]
  readonly #name: string
  readonly #kind: (typeof KINDS)[number]
  readonly #key: string

  constructor(urls: readonly string[], name: string, kind: (typeof KINDS)[number], key: string) {
    this.#urls = urls
    this.#name = name
    this.#kind = kind
    this.#key = key
  }

  /** Every copy is repeated until it is answered, with a new time if that is signed, as senders do. */
  async send(content: object): Promise<SentDelivery> {
    const id = randomUUID()
    const body = JSON.stringify({ ...content, id })
    const path = `/v1/trigger/codehost_app:crash/${this.#name}`
    const answers = await sendCopies(this.#urls, path, (copy) => this.#headers(id, body, copy), body)
    return {
      trigger: this.#name,
      ids: [
        ...new Set(
          answers.flatMap(({ body: { deliveryId } }) => (typeof deliveryId === 'string' ? deliveryId : [])),
        ),
      ],
      refused: answers.filter(({ status }) => status !== 202).map(({ status }) => status),
    }
  }

  #headers(id: string, body: string, copy: number): Record<string, string> {
    switch (this.#kind) {
      case 'standard-webhooks': {
        const timestamp = String(Math.floor(Date.now() / 1000))
        const key = Buffer.from(this.#key.replace(/^whsec_/, ''), 'base64')
        const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
        return {
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        }
      }
      case 'github':
        return {
          // The id is not signed, so a sender who repeats a request can change it: the body decides.
          'x-github-delivery': copy === 0 ? randomUUID() : id,
          'x-hub-signature-256': `sha256=${createHmac('sha256', this.#key).update(body).digest('hex')}`,
        }
      case 'gitlab':
        return { 'idempotency-key': id, 'x-gitlab-token': this.#key }
      case 'bearer':
        return { 'idempotency-key': id, authorization: `Bearer ${this.#key}` }
    }
  }
}
