import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { context, trace } from '@opentelemetry/api'
import { afterEach, describe, expect, test } from 'vitest'
import {
  formatTraceparent,
  inSpan,
  readTraceparent,
  startTracing,
  traceFields,
  typeOfError,
} from '../src/telemetry.ts'

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const tracer = trace.getTracer('test')

describe('a traceparent', () => {
  test('is read and written back', () => {
    const spanContext = readTraceparent(TRACEPARENT)
    expect(spanContext).toMatchObject({ traceFlags: 1, isRemote: true })
    expect(formatTraceparent(spanContext)).toBe(TRACEPARENT)
  })

  test('of any other form is none', () => {
    const texts = ['', 'x', ` ${TRACEPARENT}`, `${TRACEPARENT}\n`, TRACEPARENT.replace('00-', 'ff-')]
    for (const text of [...texts, undefined]) expect(readTraceparent(text)).toBeUndefined()
  })
})

describe('without a collector', () => {
  test('there are no ids, and work is done as it is', async () => {
    const stop = await startTracing({ service: 'test', version: '1', endpoint: '', onProblem: () => {} })
    const result = await inSpan(tracer, 'work', {}, async (span) => {
      expect(formatTraceparent(span.spanContext())).toBe('')
      return traceFields()
    })
    expect(result).toEqual({})
    await stop()
  })
})

describe('an error', () => {
  test('is named by its code or class, never by its message', () => {
    expect(typeOfError(Object.assign(new Error('secret'), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED')
    expect(typeOfError(Object.assign(new Error('secret'), { code: 'a secret text' }))).toBe('Error')
    expect(typeOfError(new RangeError('secret'))).toBe('RangeError')
    expect(typeOfError('secret')).toBe('_OTHER')
  })
})

describe('with a collector', () => {
  let server: Server | undefined
  let stop: (() => Promise<void>) | undefined

  afterEach(async () => {
    await stop?.()
    trace.disable()
    context.disable()
    server?.closeAllConnections()
    server?.close()
  })

  async function listen(answer: (body: string) => boolean): Promise<string> {
    server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        if (answer(body)) response.end('{}')
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  }

  test('a span is active across await, names its trace in log lines, and is sent at the end', async () => {
    const bodies: string[] = []
    const endpoint = await listen((body) => bodies.push(body) > 0)
    stop = await startTracing({ service: 'test', version: '1', endpoint, onProblem: () => {} })
    const parent = trace.setSpanContext(context.active(), readTraceparent(TRACEPARENT) ?? never())
    const fields = await inSpan(
      tracer,
      'work',
      {},
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return traceFields()
      },
      parent,
    )
    expect(fields.trace_id).toBe(TRACEPARENT.split('-')[1])
    const failing = inSpan(tracer, 'failing', {}, () => Promise.reject(new RangeError('secret words')))
    await expect(failing).rejects.toThrow(RangeError)
    await stop()
    stop = undefined
    expect(bodies.join()).toContain('"work"')
    expect(bodies.join()).toContain('RangeError')
    expect(bodies.join()).not.toContain('secret words')
  })

  test('that never answers, spans are dropped rather than kept, and the end is not delayed for long', async () => {
    const endpoint = await listen(() => false)
    const problems: Error[] = []
    stop = await startTracing({
      service: 'test',
      version: '1',
      endpoint,
      onProblem: (error) => void problems.push(error),
    })
    // The one above still belongs to the exporter of the test before.
    const fresh = trace.getTracer('fresh')
    const before = usedBytes()
    for (let round = 0; round < 200; round += 1) {
      for (let index = 0; index < 1000; index += 1) fresh.startSpan('lost', { attributes: { index } }).end()
      await new Promise((resolve) => setImmediate(resolve))
    }
    // 200,000 spans would take 200 MB.
    expect(usedBytes() - before).toBeLessThan(32 * 1024 ** 2)
    const startedAt = performance.now()
    await stop()
    stop = undefined
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    expect(problems).toHaveLength(1)
  })
})

/** Without garbage. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  return process.memoryUsage().heapUsed
}

function never(): never {
  throw new Error('A valid traceparent')
}
