import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { createTransport, type Retry, type Transport, type TransportOptions } from '../src/index.ts'
import { startFaultyProxy, type FaultyProxy } from './faulty-proxy.ts'

/** A client of the real service, with a proxy in between that can be told to fail. */
export interface TransportWorld {
  readonly server: TestServer
  readonly tenant: TestTenant
  /** Of the service itself, past the proxy. */
  readonly directUrl: string
  readonly proxy: FaultyProxy
  readonly apiKey: string
  /** Does not wait between tries, unless told otherwise. */
  connect(options?: Partial<TransportOptions>): Transport & { readonly retries: readonly Retry[] }
  close(): Promise<void>
}

export async function startTransportWorld(): Promise<TransportWorld> {
  const server = await startTestServer()
  const tenant = await server.createTenant()
  const apiKey = tenant.admin.key ?? ''
  const directUrl = await server.app.listen({ port: 0, host: '127.0.0.1' })
  const proxy = await startFaultyProxy(directUrl)
  return {
    server,
    tenant,
    directUrl,
    proxy,
    apiKey,
    connect(options = {}) {
      const retries: Retry[] = []
      const transport = createTransport({
        baseUrl: proxy.url,
        apiKey,
        random: () => 0,
        onRetry: (retry) => void retries.push(retry),
        ...options,
      })
      return { ...transport, retries }
    },
    async close() {
      await proxy.close()
      await server.close()
    },
  }
}
