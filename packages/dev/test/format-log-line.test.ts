import { describe, expect, test } from 'vitest'
import { formatLogLine } from '../src/format-log-line.ts'

const time = Date.UTC(2026, 10, 17, 3, 4, 5, 678)

describe('a log line for people', () => {
  test('has the time, the level, the message and the facts', () => {
    const line = { level: 30, time, service: 'skein-runner', backends: ['a', 'b'], missing: [], msg: 'ready' }
    expect(formatLogLine(JSON.stringify(line))).toBe(
      '03:04:05.678 info  ready (backends: a, b; missing: none)',
    )
    expect(formatLogLine(JSON.stringify({ level: 60, time, msg: 'the end' }))).toBe(
      '03:04:05.678 fatal the end',
    )
  })

  test('says what an error says, without its stack', () => {
    const err = { type: 'Error', message: 'connection refused', stack: 'Error: connection refused\n at x' }
    expect(formatLogLine(JSON.stringify({ level: 40, time, err, msg: 'a sweep failed' }))).toBe(
      '03:04:05.678 warn  a sweep failed (err: connection refused)',
    )
  })

  test.each(['', 'Error: plain text', '{"cut":', '{"msg":"no level"}', '{}', '[1]', 'null'])(
    'is left as it is if it is not one of ours: %s',
    (line) => expect(formatLogLine(line)).toBe(line),
  )
})
