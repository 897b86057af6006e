import type { Simulator } from '../src/index.ts'

/** One exchange so far: what the model answered, and what its calls returned. */
export interface Round {
  readonly answer: WireAnswer
  readonly results?: readonly string[]
  /** What the person says next. */
  readonly words?: string
}

export interface WireAnswer {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  /** As the provider gives it. */
  readonly usage: unknown
  /** Whether the provider's last event came. */
  readonly isComplete: boolean
  readonly error?: unknown
}

export interface WireEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** How a client of one provider asks and reads, without that provider's library. */
export interface Wire {
  readonly name: 'anthropic' | 'openai'
  readonly path: string
  readonly requestId: string
  /** The conversation as this provider's clients send it. */
  body(prompt: string, rounds?: readonly Round[], extra?: object): object
  readEvents(events: readonly WireEvent[]): WireAnswer
  readBody(body: unknown): WireAnswer
}

export function post(
  simulator: Simulator,
  wire: Wire,
  body: object,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(simulator.url + wire.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  })
}

/** Asks in a stream and reads it to its end. */
export async function ask(
  simulator: Simulator,
  wire: Wire,
  prompt: string,
  rounds: readonly Round[] = [],
): Promise<WireAnswer> {
  const response = await post(simulator, wire, wire.body(prompt, rounds, { stream: true }))
  return wire.readEvents(parseEvents(await response.text()))
}

export function parseEvents(text: string): WireEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => {
      const [, event = ''] = /^event: (.*)$/m.exec(block) ?? []
      const [, data = ''] = /^data: (.*)$/m.exec(block) ?? []
      return { event, data: JSON.parse(data) as WireEvent['data'] }
    })
}

/** Reads until a piece of text has arrived, and leaves the stream open. */
export async function readUntil(response: Response, piece: string): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  if (!response.body) throw new Error('The response has no body')
  for await (const chunk of response.body.values({ preventCancel: true })) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(piece)) return text
  }
  throw new Error(`The stream ended without ${piece}`)
}
