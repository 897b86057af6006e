import type { ServerResponse } from 'node:http'
import type { Provider } from './provider.ts'

/**
 * Answers with an error of ours in the provider's envelope, which both programs show to the agent as it is. The
 * header keeps Claude from trying a refusal again.
 *
 * A call that the budget does not cover gets 402. Measured with 2 retries: Claude gives up after one request, Codex
 * after three within 0.7 s. Of 400, 401, 402, 403 and 404 Codex repeats all but 400, and that one it reports as an
 * error of unknown class; with 402 both tell status and message as they are.
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
