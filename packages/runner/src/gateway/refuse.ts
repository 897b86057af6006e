import type { ServerResponse } from 'node:http'
import type { Provider } from './provider.ts'

/**
 * Sends our own error in the provider's envelope, which both programs show to the agent unchanged. The header keeps
 * Claude from retrying.
 *
 * A call the budget does not cover gets 402. Measured with 2 retries: Claude gives up after one request, Codex after
 * three within 0.7 s. Of 400, 401, 402, 403 and 404, Codex retries all but 400, which it reports as an error of
 * unknown class. With 402, both pass on status and message unchanged.
 */
export function refuse(response: ServerResponse, provider: Provider, status: number, message: string): void {
  const body = JSON.stringify(provider.describeError(status, message))
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(status < 500 && { 'x-should-retry': 'false' }),
  })
  response.end(body)
}
