import { SkeinApiError, type Transport } from '@skein/client'
import { completeRun, heartbeatRuns } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { expect, test } from 'vitest'
import { reportEnd } from '../../src/run/report-end.ts'
import { RunReporter, type ReportedUsage } from '../../src/run/run-reporter.ts'

const lease = 'lease'
const usage: ReportedUsage = {
  cost: 1,
  inputTokens: 10,
  cachedInputTokens: 0,
  outputTokens: 2,
  model: 'one',
}
const wireUsage = { cost: 1, inputTokens: '10', cachedInputTokens: '0', outputTokens: '2', model: 'one' }
const said = { type: 'run.message', text: 'Done.' } as const
const outcome = { reason: 'rested', message: 'Done.' } as const

/** A service that answers what a test says, or refuses. */
function openReport(
  refuses: (body: Record<string, unknown>) => boolean = () => false,
  answering: Promise<void> = Promise.resolve(),
) {
  const sent: { readonly operation: string; readonly body: Record<string, unknown> }[] = []
  const transport: Transport = {
    call: async (operation, ...[options]) => {
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the bodies of the two operations below
      const body = JSON.parse(JSON.stringify(options?.body)) as Record<string, unknown>
      const [run = body] = (body['runs'] as Record<string, unknown>[] | undefined) ?? []
      delete run['reportId']
      sent.push({ operation: operation.id, body: run })
      await answering
      if (refuses(run)) throw refusal()
      const answers: Record<string, unknown> = {
        [heartbeatRuns.id]: { runs: [{ lease, isCurrent: true, commands: [] }] },
        [completeRun.id]: { accepted: true },
      }
      return answers[operation.id] as never
    },
  }
  const { signal } = new AbortController()
  const reporter = new RunReporter(transport, {
    lease,
    signal,
    onLost: () => undefined,
    onRefused: () => undefined,
  })
  return { sent, reporter, report: () => reportEnd({ transport, reporter, lease, outcome, signal }) }
}

function refusal(): SkeinApiError {
  return new SkeinApiError('No.', {
    requestId: 'r',
    status: 400,
    code: 'INVALID_ARGUMENT',
    reason: 'REQUEST_INVALID',
    details: [],
    retryDelayMs: undefined,
    isRetryable: false,
  })
}

const operationsOf = (sent: readonly { readonly operation: string }[]) =>
  sent.map(({ operation }) => operation)

test('what happened last and what it cost travel with the end, and nothing is sent twice', async () => {
  const { sent, reporter, report } = openReport()
  reporter.add(said)
  reporter.addUsage(usage)
  expect(await report()).toEqual({ isAccepted: true })
  await reporter.flush()
  expect(sent).toEqual([
    {
      operation: 'completeRun',
      body: { lease, events: [said], outcome: { ...outcome, usage: wireUsage } },
    },
  ])
})

test('while an earlier report is on its way, the end waits, and no empty report follows', async () => {
  const answering = Promise.withResolvers<void>()
  const { sent, reporter, report } = openReport(undefined, answering.promise)
  reporter.add({ ...said, text: 'First.' })
  const flushing = reporter.flush()
  await waitFor(() => sent.length === 1, { what: 'the first report' })
  reporter.add(said)
  const ending = report()
  answering.resolve()
  expect(await ending).toEqual({ isAccepted: true })
  await flushing
  expect(sent.slice(1)).toEqual([{ operation: 'completeRun', body: { lease, events: [said], outcome } }])
})

test.each([
  ['the usage of two models', (reporter: RunReporter) => reporter.addUsage({ ...usage, model: 'two' })],
  ['a conversation saved on the way', (reporter: RunReporter) => reporter.saveSession('saved')],
  [
    'more than fits',
    (reporter: RunReporter) => reporter.add({ type: 'run.message', text: 'a'.repeat(200_000) }),
  ],
])('%s is reported before the end', async (_what, prepare) => {
  const { sent, reporter, report } = openReport()
  reporter.add(said)
  reporter.addUsage(usage)
  prepare(reporter)
  expect(await report()).toEqual({ isAccepted: true })
  expect(sent[0]).toMatchObject({ operation: 'heartbeatRuns', body: { usage: wireUsage } })
  expect(sent.at(-1)).toEqual({ operation: 'completeRun', body: { lease, outcome } })
})

test('an end that is rejected with its events is reported without them, and what was spent is not lost', async () => {
  const { sent, reporter, report } = openReport((body) => body['events'] !== undefined)
  reporter.add(said)
  reporter.addUsage(usage)
  expect(await report()).toEqual({ isAccepted: true })
  expect(operationsOf(sent)).toEqual(['completeRun', 'heartbeatRuns', 'heartbeatRuns', 'completeRun'])
  expect(sent[2]?.body).toEqual({ lease, usage: wireUsage })
  expect(sent[3]?.body).toEqual({ lease, outcome })
})

test('an end that is rejected by itself is said to be', async () => {
  const { sent, report } = openReport(() => true)
  expect(await report()).toBeInstanceOf(SkeinApiError)
  expect(operationsOf(sent)).toEqual(['completeRun'])
})
