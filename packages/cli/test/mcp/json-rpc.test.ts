import { PassThrough } from 'node:stream'
import { waitFor } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { JsonRpcError, serveJsonRpc, type Method } from '../../src/mcp/json-rpc.ts'
import { readLines } from '../../src/mcp/read-lines.ts'

type Answer = { id: unknown; result?: unknown; error?: { code: number; message: string } }

let input: PassThrough
let answers: Answer[]
let served: Promise<void>
/** What the method `wait` was told to stop by, in the order of its calls. */
let waits: AbortSignal[]

const METHODS = new Map<string, Method>([
  ['echo', (params) => params],
  ['refuse', () => Promise.reject(new JsonRpcError('params', 'Not so.'))],
  ['break', () => Promise.reject(new Error('Broken.'))],
  [
    'wait',
    (_params, signal) => {
      waits.push(signal)
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')))
    },
  ],
])

beforeEach(() => {
  input = new PassThrough()
  ;[answers, waits] = [[], []]
  served = serveJsonRpc(input, METHODS, (line) => void answers.push(JSON.parse(line) as Answer))
})

afterEach(async () => {
  input.end()
  await served
})

function send(...messages: unknown[]): void {
  for (const message of messages) {
    input.write(typeof message === 'string' ? `${message}\n` : `${JSON.stringify(message)}\n`)
  }
}

const request = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: '2.0', id, method, params })
const cancel = (requestId: unknown) => ({ method: 'notifications/cancelled', params: { requestId } })
const echo = request('last', 'echo')

/** The answers up to that of a request which is sent last. */
async function answersTo(...messages: unknown[]): Promise<Answer[]> {
  answers = []
  send(...messages, echo)
  await waitFor(() => answers.at(-1)?.id === 'last', { what: 'the last answer' })
  return answers.slice(0, -1)
}

describe('an invalid request gets an error, and the next one is answered', () => {
  test.each([
    ['no JSON', '{"jsonrpc":', -32_700],
    ['a number', '7', -32_600],
    ['null', 'null', -32_600],
    ['a batch', [echo, echo], -32_600],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32_600],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: {} }, -32_600],
    ['an id that is no name', request({}, 'echo'), -32_600],
    ['an id that is null', request(null, 'echo'), -32_600],
    ['a line without end', 'x'.repeat(16 * 1024 * 1024 + 1), -32_700],
  ])('%s', async (_what, message, code) => {
    expect(await answersTo(message)).toMatchObject([{ id: null, error: { code } }])
  })

  test.each([
    ['a method that does not exist', request(1, 'dance'), -32_601],
    ['a method with the name of something of ours', request(1, 'constructor'), -32_601],
    ['parameters that are no object', request(1, 'echo', ['a']), -32_602],
    ['parameters that the method refuses', request(1, 'refuse'), -32_602],
    ['a method that fails', request(1, 'break'), -32_603],
  ])('%s', async (_what, message, code) => {
    expect(await answersTo(message)).toMatchObject([{ id: 1, error: { code } }])
  })
})

test('notifications, answers and blank lines are not answered', async () => {
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const badNotification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: 7 }
  const answer = { jsonrpc: '2.0', id: 9, result: {} }
  expect(await answersTo(notification, badNotification, answer, '', ' \r')).toEqual([])
})

test('a request that waits holds up no other, and is not answered after the client has cancelled it', async () => {
  expect(await answersTo(request(0, 'wait'), request(1, 'wait'))).toEqual([])
  expect(await answersTo(cancel(0), cancel(2), request(2, 'echo', { a: 1 }))).toMatchObject([
    { id: 2, result: { a: 1 } },
  ])
  expect(waits.map(({ aborted }) => aborted)).toEqual([true, false])
})

test('when the client is gone, what waits is ended', async () => {
  send(request(1, 'wait'))
  input.end()
  await served
  expect(waits.map(({ aborted }) => aborted)).toEqual([true])
  expect(answers).toEqual([])
})

test('lines are the same, wherever the input is cut', async () => {
  const bytes = Buffer.from('{"a":"ä"}\n\nlonger than ten\n{"b":"→"}')
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
    const lines: (string | undefined)[] = []
    for await (const line of readLines(PassThrough.from(chunks), 10)) lines.push(line)
    expect(lines).toEqual(['{"a":"ä"}', undefined, '{"b":"→"}'])
  }
})
