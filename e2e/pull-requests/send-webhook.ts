import { createHmac, randomUUID } from 'node:crypto'
import { sendCopies } from '../automations/send-copies.ts'

export const WEBHOOK_KEY = 'key-of-the-webhooks'

/** Signed as the host does it, five times at once, to all servers. */
export function sendWebhook(
  urls: readonly string[],
  event: string,
  content: object,
  onAnswer?: () => void,
): ReturnType<typeof sendCopies> {
  const body = JSON.stringify({ nonce: randomUUID(), ...content })
  const headers = {
    'x-hub-signature-256': `sha256=${createHmac('sha256', WEBHOOK_KEY).update(body).digest('hex')}`,
    'x-github-event': event,
    'x-github-delivery': randomUUID(),
  }
  return sendCopies(urls, '/v1/code-host/codehost_app:crash/github', () => headers, body, onAnswer)
}
