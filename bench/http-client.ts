import { connect, type Socket } from 'node:net'

/**
 * A minimal client, because it shares the machine with what it measures: one request at a time on one connection,
 * and only the parts of HTTP our server uses.
 */
export class BenchClient {
  readonly #socket: Socket
  readonly #head: string
  #buffer: Buffer = Buffer.alloc(0)
  #waiting: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket, host: string, key: string) {
    this.#socket = socket
    this.#head = `host: ${host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => this.#waiting?.reject(error))
  }

  static async open(baseUrl: string, key: string): Promise<BenchClient> {
    const { hostname, port, host } = new URL(baseUrl)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new BenchClient(socket, host, key)
  }

  post(path: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(
        `POST ${path} HTTP/1.1\r\n${this.#head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk])
    const end = this.#buffer.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#buffer.toString('latin1', 0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (this.#buffer.length < end + 4 + length) return
    const body = this.#buffer.toString('utf8', end + 4, end + 4 + length)
    this.#buffer = this.#buffer.subarray(end + 4 + length)
    const waiting = this.#waiting
    this.#waiting = undefined
    if (head.startsWith('HTTP/1.1 200')) waiting?.resolve(body)
    else waiting?.reject(new Error(`${head.split('\r\n', 1)[0]}: ${body.slice(0, 300)}`))
  }
}
