import { setTimeout as pause } from 'node:timers/promises'

const COPIES = 5
const RETRY_MS = 150
const TIME_LIMIT_MS = 10_000

interface CopyAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Sends a request several times at once, to all servers. Every copy is repeated until it is answered, as senders do. */
export function sendCopies(
  urls: readonly string[],
  path: string,
  headersOf: (copy: number) => Readonly<Record<string, string>>,
  body: string,
  onAnswer: () => void = () => undefined,
): Promise<CopyAnswer[]> {
  return Promise.all(
    Array.from({ length: COPIES }, async (_, copy) => {
      for (let attempt = copy; ; attempt++) {
        const answer = await post(`${urls[attempt % urls.length] ?? ''}${path}`, headersOf(copy), body)
        if (answer && answer.status < 500 && answer.status !== 429) {
          onAnswer()
          return answer
        }
        await pause(RETRY_MS)
      }
    }),
  )
}

/** Undefined if it is unknown whether it arrived. */
async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<CopyAnswer | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  } catch {
    return undefined
  }
}
