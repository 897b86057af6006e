import { PassThrough } from 'node:stream'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonRpcClient, RpcClosedError, RpcError } from '../../src/backends/codex/json-rpc.ts'
import { LineSplitter } from '../../src/backends/codex/line-splitter.ts'

function connect() {
  const input = new PassThrough()
  const output = new PassThrough()
  const notices: unknown[] = []
  const broken: string[] = []
  const client = new JsonRpcClient(input, output, {
    onNotification: (method, params) => notices.push({ method, params }),
    onRequest: (method) => (method === 'known' ? { decision: 'accept' } : undefined),
    onBroken: (reason) => broken.push(reason),
  })
  const readSent = (): unknown[] =>
    String(output.read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line))
  const receive = (message: unknown): void => void input.write(`${JSON.stringify(message)}\n`)
  return { input, client, notices, broken, readSent, receive }
}

test('lines come out whole however their bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' '))),
      fc.array(fc.nat({ max: 40 })),
      (lines, cuts) => {
        // Lone halves of characters cannot be written as UTF-8.
        const expected = lines.map((line) => line.toWellFormed())
        const bytes = Buffer.from(expected.map((line) => `${line}\n`).join(''))
        const splitter = new LineSplitter(1_000_000)
        const found: string[] = []
        let start = 0
        for (const cut of [...cuts, bytes.length]) {
          found.push(...splitter.split(bytes.subarray(start, start + cut)))
          start = Math.min(bytes.length, start + cut)
        }
        expect(found).toEqual(expected)
      },
    ),
  )
})

test('a line of many megabytes in small pieces is put together in little time', () => {
  const splitter = new LineSplitter(64 * 1024 * 1024)
  const piece = Buffer.alloc(16 * 1024, 'x')
  const startedAt = performance.now()
  for (let index = 0; index < 2_000; index += 1) expect(Array.from(splitter.split(piece))).toEqual([])
  const [line] = splitter.split(Buffer.from('\n'))
  expect(line).toHaveLength(2_000 * piece.length)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

test('a line that does not end is not collected forever', () => {
  const splitter = new LineSplitter(10)
  expect(() => Array.from(splitter.split(Buffer.from('12345678901')))).toThrow('longer than 10 bytes')
})

test('answers find their requests in any order', async () => {
  const { client, receive, readSent } = connect()
  const first = client.request('one', { a: 1 })
  const second = client.request('two', {})
  expect(readSent()).toEqual([
    { id: 1, method: 'one', params: { a: 1 } },
    { id: 2, method: 'two', params: {} },
  ])
  receive({ id: 2, result: 'second' })
  receive({ id: 1, error: { code: -32_600, message: 'No.' } })
  expect(await second).toBe('second')
  await expect(first).rejects.toEqual(new RpcError('No.', -32_600))
})

test('requests from the other side are answered, even unknown ones', async () => {
  const { receive, readSent, notices } = connect()
  receive({ id: 'a', method: 'known', params: {} })
  receive({ id: 7, method: 'unknown', params: {} })
  receive({ method: 'told', params: { text: 'x' } })
  await expect.poll(() => notices).toEqual([{ method: 'told', params: { text: 'x' } }])
  expect(readSent()).toEqual([
    { id: 'a', result: { decision: 'accept' } },
    { id: 7, error: { code: -32_601, message: 'Not supported: unknown' } },
  ])
})

test('stray output between messages does no harm', async () => {
  const { client, input, receive, broken } = connect()
  const answer = client.request('one', {})
  input.write('Starting up…\n\n[1, 2]\nnull\n{"id":99,"result":1}\n{"id":1')
  input.write('}\n')
  receive({ method: 'told' })
  expect(await answer).toBeUndefined()
  expect(broken).toEqual([])
})

test('pending and later requests fail when the connection ends', async () => {
  const { client, receive, readSent } = connect()
  const waiting = client.request('one', {})
  client.close('Gone.')
  client.close('Gone twice.')
  await expect(waiting).rejects.toEqual(new RpcClosedError('Gone.'))
  readSent()
  await expect(client.request('two', {})).rejects.toEqual(new RpcClosedError('Gone.'))
  client.notify('three')
  receive({ id: 1, result: 'late' })
  expect(readSent()).toEqual([])
})

test('a program that cannot be written to any more breaks nothing', async () => {
  const input = new PassThrough()
  const output = new PassThrough()
  const listener = { onNotification: () => undefined, onRequest: () => undefined, onBroken: () => undefined }
  const client = new JsonRpcClient(input, output, listener)
  output.destroy(new Error('EPIPE'))
  const answer = client.request('one', {})
  client.close('Gone.')
  await expect(answer).rejects.toThrow('Gone.')
})
