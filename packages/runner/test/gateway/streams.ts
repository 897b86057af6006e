/** Answers of the two providers, as they are on the wire. */

export interface Counts {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

const event = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

function anthropicUsage({ input, cacheRead, cacheWrite }: Counts, outputTokens: number): object {
  return {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: outputTokens,
  }
}

export const anthropicStart = (counts: Counts): string =>
  event({ type: 'message_start', message: { role: 'assistant', usage: anthropicUsage(counts, 1) } })

export const anthropicText = (text: string): string =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })

export const anthropicEnd = ({ output }: Counts): string =>
  event({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: { input_tokens: null, output_tokens: output },
  }) + event({ type: 'message_stop' })

export function anthropicStream(text: string, counts: Counts): string {
  return anthropicStart(counts) + event({ type: 'ping' }) + anthropicText(text) + anthropicEnd(counts)
}

export function openaiUsage({ input, cacheRead, cacheWrite, output }: Counts): object {
  return {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 1 },
  }
}

export const openaiText = (text: string): string =>
  event({ type: 'response.created', response: { status: 'in_progress', usage: null } }) +
  event({ type: 'response.output_text.delta', delta: text })

export function openaiStream(text: string, counts: Counts, end = 'completed'): string {
  return (
    openaiText(text) +
    event({ type: `response.${end}`, response: { status: end, usage: openaiUsage(counts) } })
  )
}
