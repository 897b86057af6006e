import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anthropic } from '../../src/gateway/anthropic.ts'
import { CallMeter } from '../../src/gateway/call-meter.ts'
import { openai } from '../../src/gateway/openai.ts'
import type { Provider } from '../../src/gateway/provider.ts'
import {
  anthropicEnd,
  anthropicStart,
  anthropicStream,
  anthropicText,
  openaiStream,
  openaiText,
  openaiUsage,
} from './streams.ts'

const counts = { input: 1_000, cacheRead: 200, cacheWrite: 50, output: 40 }
const metered = { inputTokens: 1_250, cachedInputTokens: 200, cacheWriteTokens: 50, outputTokens: 40 }

function meter(provider: Provider, chunks: readonly (string | Uint8Array)[], isStream = true): CallMeter {
  const result = new CallMeter(provider.readUsage, { isStream, promptTokens: 777 })
  for (const chunk of chunks) result.write(Buffer.from(chunk))
  result.end()
  return result
}

/** The bytes, cut wherever the numbers say. */
function cutUp(bytes: Buffer, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

describe.each([
  [anthropic, anthropicStream],
  [openai, openaiStream],
] as const)('a stream of $name', (provider, streamOf) => {
  test('is counted once, with what was cached as part of the input', () => {
    const result = meter(provider, [streamOf('Hello.', counts)])
    expect(result.isComplete).toBe(true)
    expect(result.counts).toEqual(metered)
  })

  test('counts the same however it is cut, within lines and within characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.nat(), { maxLength: 40 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        (text, cuts, lineEnd) => {
          const bytes = Buffer.from(streamOf(`${text}é…🧵`, counts).replaceAll('\n', lineEnd))
          const result = meter(provider, cutUp(bytes, cuts))
          expect(result.isComplete).toBe(true)
          expect(result.counts).toEqual(metered)
        },
      ),
    )
  })

  test('counts the same byte by byte, and without the line after the last event', () => {
    const bytes = Buffer.from(streamOf('zażółć 🧵', counts).trimEnd())
    const result = meter(
      provider,
      Array.from(bytes, (byte) => Uint8Array.of(byte)),
    )
    expect(result.counts).toEqual(metered)
  })

  test('is never counted as complete when it ends early, wherever that is', () => {
    const text = 'x'.repeat(400)
    const whole = Buffer.from(streamOf(text, counts))
    const lastEvent = whole.lastIndexOf(
      provider === anthropic ? 'data: {"type":"message_delta"' : 'data: {"type":"response.completed"',
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: lastEvent }), (length) => {
        const result = meter(provider, [whole.subarray(0, length)])
        expect(result.isComplete).toBe(false)
        expect(result.counts.outputTokens).toBeLessThanOrEqual(100)
      }),
    )
  })

  test('with a single body is counted too', () => {
    const usage =
      provider === anthropic
        ? {
            input_tokens: 1_000,
            cache_read_input_tokens: 200,
            cache_creation_input_tokens: 50,
            output_tokens: 40,
          }
        : openaiUsage(counts)
    const body = JSON.stringify({ type: 'message', object: 'response', status: 'completed', usage })
    const result = meter(provider, cutUp(Buffer.from(body), [7, 20]), false)
    expect(result.isComplete).toBe(true)
    expect(result.counts).toEqual(metered)
  })

  test('of anything else is an estimate, and breaks nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), fc.boolean(), (chunks, isStream) => {
        expect(meter(provider, chunks, isStream).isComplete).toBe(false)
      }),
    )
  })
})

describe('a call that is cut', () => {
  test('of Anthropic has its input from the first event, and its output from what was written', () => {
    const result = meter(anthropic, [anthropicStart(counts), anthropicText('x'.repeat(81))])
    expect(result.counts).toEqual({ ...metered, outputTokens: 21 })
  })

  test('of OpenAI is estimated from the request and from what was written', () => {
    const result = meter(openai, [openaiText('x'.repeat(81))])
    expect(result.counts).toEqual({
      inputTokens: 777,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 21,
    })
  })
})

describe('what the providers report in unusual ways', () => {
  test('work besides the answer is added, because the totals omit it', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      iterations: [
        { type: 'compaction', input_tokens: 1_000, output_tokens: 100 },
        { type: 'message', input_tokens: 10, output_tokens: 5 },
      ],
    }
    const event = JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
    const result = meter(anthropic, [`data: ${event}\n\n`])
    expect(result.counts).toMatchObject({ inputTokens: 1_010, outputTokens: 105 })
  })

  test('an answer that is cut short by its own limit is counted as it says', () => {
    const result = meter(openai, [openaiStream('x', counts, 'incomplete')])
    expect(result).toMatchObject({ isComplete: true, counts: metered })
  })

  test('a failure without usage has used nothing, and says why', () => {
    const error = { code: 'rate_limit_exceeded', message: 'Please try again in 1.5s.' }
    const failed = { type: 'response.failed', response: { status: 'failed', usage: null, error } }
    const result = meter(openai, [openaiText('some'), `data: ${JSON.stringify(failed)}\n\n`])
    expect(result.isComplete).toBe(true)
    expect(result.counts.inputTokens + result.counts.outputTokens).toBe(0)
    expect(result.error).toEqual(error)
  })

  test('an error in the middle of a stream keeps what is known', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const result = meter(anthropic, [
      anthropicStart(counts),
      `event: error\ndata: ${JSON.stringify(error)}\n\n`,
    ])
    expect(result.isComplete).toBe(false)
    expect(result.counts).toMatchObject({ inputTokens: 1_250, outputTokens: 1 })
    expect(result.error).toEqual({ code: 'overloaded_error', message: 'Overloaded' })
  })

  test('an event beyond all size is passed over without being kept, and the next ones count', () => {
    const result = new CallMeter(anthropic.readUsage, { isStream: true, promptTokens: 1 })
    result.write(Buffer.from(anthropicStart(counts)))
    result.write(Buffer.from('data: "'))
    const piece = Buffer.alloc(1024 * 1024, 'x')
    for (let size = 0; size < 40; size += 1) result.write(piece)
    result.write(Buffer.from(`"\n\n${anthropicEnd(counts)}`))
    expect(result.isComplete).toBe(true)
    expect(result.counts).toEqual(metered)
  })
})
