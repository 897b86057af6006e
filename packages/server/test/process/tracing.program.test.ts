import { createTestDatabase, startTraceCollector, waitFor } from '@skein/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import { bootstrapTenant } from './first-tenant.ts'
import { send } from './http.ts'
import { endProcesses, startServer } from './skein-process.ts'

afterEach(endProcesses)

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT_ID = '00f067aa0ba902b7'

describe('traces', () => {
  test('go to the collector, continue the caller’s trace, and are all sent before the server exits', async () => {
    const database = await createTestDatabase()
    const { key } = await bootstrapTenant(database.ownerUrl)
    const collector = await startTraceCollector()
    const { url, process } = await startServer({
      SKEIN_DATABASE_URL: database.serverUrl,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    })
    const headers = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, 'x-request-id': 'traced-1' }
    await send(`${url}/v1/whoami`, { key, headers })
    await send(`${url}/v1/whoami`, { key, headers: { 'x-request-id': 'untraced-1' } })
    await send(`${url}/healthz`, { headers })
    process.signal('SIGTERM')
    expect(await process.ended).toBe(0)
    await collector.close()

    expect(new Set(collector.paths)).toEqual(new Set(['/v1/traces']))
    const requests = collector.spans.filter(({ kind }) => kind === 2)
    expect(requests).toHaveLength(2)
    const span = requests.find(({ traceId }) => traceId === TRACE_ID)
    expect(span).toMatchObject({
      name: 'GET /v1/whoami',
      parentSpanId: PARENT_ID,
      attributes: {
        'skein.request_id': 'traced-1',
        'http.route': '/v1/whoami',
        'skein.tenant': 'acme',
      },
    })
    expect(JSON.stringify(collector.spans)).not.toContain(key)
    const line = process.logLines.find(({ requestId, msg }) => requestId === 'traced-1' && msg === 'answered')
    expect(line).toMatchObject({ trace_id: TRACE_ID, span_id: span?.spanId })
    await database.drop()
  })

  test('that nobody collects do not keep the server from serving or ending', async () => {
    const database = await createTestDatabase()
    const { url, process } = await startServer({
      SKEIN_DATABASE_URL: database.serverUrl,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    })
    expect(await send(`${url}/v1/whoami`)).toMatchObject({ status: 401 })
    process.signal('SIGTERM')
    await waitFor(() => !process.isRunning, { what: 'the server to end', timeoutMs: 15_000 })
    expect(await process.ended).toBe(0)
    await database.drop()
  })
})
