import { beforeEach, describe, expect, test } from 'vitest'
import { EventLog, openLog } from '../../src/daemon/log.ts'

const KEYS = {
  SKEIN_API_KEY: 'skn_runner.0123456789',
  ANTHROPIC_API_KEY: 'sk-ant-"quoted"-0123',
  OPENAI_API_KEY: 'sk-openai-0123456789',
}
const RUN = {
  tenant: 'acme',
  workspace: 'shop',
  owner: 'ada',
  agent: 'checkout/tests',
  runId: '3',
  attempt: 2,
} as const

let written: string[]

beforeEach(() => {
  written = []
})

function open(level: 'info' | 'warn' = 'info') {
  return openLog({ ...KEYS, SKEIN_LOG_LEVEL: level }, (line) => void written.push(line))
}

function lines(): Record<string, unknown>[] {
  return written.map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the log of a runner', () => {
  test('never has a key, in whatever field, message or error it is', () => {
    const log = open()
    const events = new EventLog(log)
    for (const key of Object.values(KEYS)) {
      log.info({ anything: { deep: [`of ${key}`] } }, `about ${key}`)
      log.error({ err: new Error(`refused: ${key}`) }, 'a fault')
      log.info({ url: `https://user:${encodeURIComponent(key)}@example.com` })
      events.observe({ type: 'problem', about: RUN, message: `git said ${JSON.stringify(key)}` })
      events.observe({ type: 'missing', what: 'the backend a', reason: `401 for ${key}` })
      events.observe({ type: 'unreachable', message: `Bearer ${key}` })
    }
    log.info({ key: 'short', secret: 'short', value: 'short', authorization: 'short' })
    expect(written).toHaveLength(6 * 3 + 1)
    expect(JSON.stringify(lines())).not.toMatch(/0123|short/)
    expect(lines().every(({ level, time, service }) => level && time && service === 'skein-runner')).toBe(
      true,
    )
  })

  test('names the run in each line about one', () => {
    const events = new EventLog(open())
    events.observe({ type: 'run-began', run: RUN })
    events.observe({ type: 'problem', about: RUN, message: 'the disk is full' })
    events.observe({ type: 'run-ended', run: RUN, reason: 'completed', durationMs: 1200, costUsd: 0.5 })
    expect(lines()).toMatchObject([
      { ...RUN, level: 30, msg: 'a run began' },
      { ...RUN, level: 50, reason: 'the disk is full' },
      { ...RUN, level: 30, reason: 'completed', durationMs: 1200, costUsd: 0.5 },
    ])
  })

  test('says once that the service does not answer, and again after it did', () => {
    const events = new EventLog(open('warn'))
    const unreachable = { type: 'unreachable', message: 'connection refused' } as const
    events.observe(unreachable)
    events.observe(unreachable)
    events.observe({ type: 'run-began', run: RUN })
    events.observe(unreachable)
    expect(lines()).toHaveLength(2)
  })
})
