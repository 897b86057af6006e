import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { collectOutput } from '../../src/sandbox/collect-output.ts'
import { findProcesses, openSandbox, uniqueSeconds } from './sandbox-fixture.ts'

const inputs = {
  'a text': 'some text',
  bytes: Buffer.from('some text'),
  'a stream': () => Readable.from(['some ', 'text']),
}

test.each(Object.entries(inputs))('a command can be given %s as its input', async (_kind, input) => {
  const { run } = await openSandbox('process')
  const stdin = typeof input === 'function' ? input() : input
  expect(await run('cat', { stdin })).toMatchObject({ code: 0, stdout: 'some text' })
})

test('a command without input reads an empty one', async () => {
  const { run } = await openSandbox('process')
  expect(await run('cat; echo done')).toMatchObject({ stdout: 'done\n' })
})

test('a command that does not read its input ends as it wants to', async () => {
  const { run } = await openSandbox('process')
  expect(await run('exit 5', { stdin: Readable.from([Buffer.alloc(1_000_000)]) })).toMatchObject({ code: 5 })
})

test('output beyond the limit is dropped, and the command can finish', async () => {
  const { run } = await openSandbox('process')
  const output = await run('head -c 2000000 /dev/zero; echo short >&2', { maxBytes: 1000 })
  expect(output).toMatchObject({ code: 0, stderr: 'short\n', isTruncated: true })
  expect(output.stdout).toHaveLength(1000)
})

test('output that just fits is not called truncated', async () => {
  const { run } = await openSandbox('process')
  expect(await run('printf 12345', { maxBytes: 5 })).toMatchObject({ stdout: '12345', isTruncated: false })
})

test('a command that takes too long is ended with all that it started', async () => {
  const { run } = await openSandbox('process')
  const seconds = uniqueSeconds()
  const output = await run(`echo begun; setsid sleep ${seconds} & sleep ${seconds}`, { timeoutMs: 300 })
  expect(output).toMatchObject({ code: null, signal: 'SIGKILL', stdout: 'begun\n', isTimedOut: true })
  expect(findProcesses(seconds)).toEqual([])
})

test('a stream that another process holds open does not delay the result', async () => {
  const stdout = new Readable({ read: () => undefined })
  stdout.push('partial')
  const ended = Promise.resolve({ code: 0, signal: null })
  const { spawn } = await openSandbox('process')
  const output = await collectOutput({ ...spawn('true'), stdout, ended }, { maxBytes: 100 })
  expect(output).toMatchObject({ code: 0, stdout: 'partial' })
})
