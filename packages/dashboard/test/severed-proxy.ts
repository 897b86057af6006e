import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface SeveredProxy {
  readonly url: string
  /** Breaks every connection and refuses new ones, as a network that is gone. */
  sever(): void
  mend(): void
  close(): Promise<void>
}

export async function startSeveredProxy(target: string): Promise<SeveredProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let isSevered = false
  const server = createServer((client) => {
    if (isSevered) {
      client.destroy()
      return
    }
    const service = connect(Number(port), hostname)
    open.add(client)
    client.pipe(service).pipe(client)
    for (const socket of [client, service]) socket.on('error', () => {})
    service.once('close', () => client.destroy())
    client.once('close', () => {
      open.delete(client)
      service.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cutAll = (): void => {
    for (const client of open) client.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sever: () => {
      isSevered = true
      cutAll()
    },
    mend: () => {
      isSevered = false
    },
    close: async () => {
      server.close()
      cutAll()
      await once(server, 'close')
    },
  }
}
