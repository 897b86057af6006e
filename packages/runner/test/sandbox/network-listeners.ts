import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Whatever address of this namespace is asked on port 80 answers with its own, and so does port 5432, as a database
// would listen on. Port 53 answers questions for names: the name tells the address, as in 10.9.8.7.test.

for (const port of [80, 5432]) {
  const server = createServer((socket) => {
    const address = socket.localAddress?.replace(/^::ffff:/, '') ?? ''
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(`HTTP/1.0 200 OK\r\n\r\nreached ${address}`))
  })
  server.listen(port, '::')
  await once(server, 'listening')
}

const resolver = createSocket('udp4')
resolver.on('message', (question, { port, address }) => {
  const name = readName(question)
  const type = question.readUInt16BE(12 + name.bytes)
  const [, numbers = ''] = /^((?:\d+\.){4})test$/.exec(name.text) ?? []
  const octets = numbers.split('.').filter(Boolean).map(Number)
  const answers = type === 1 && octets.length === 4 ? [answerOf(octets)] : []
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(answers.length, 6)
  head.writeUInt32BE(0, 8)
  resolver.send(Buffer.concat([head, question.subarray(12, 16 + name.bytes), ...answers]), port, address)
})
resolver.bind(53, '127.0.0.1')
await once(resolver, 'listening')
process.stdout.write('listening\n')

function readName(question: Buffer): { text: string; bytes: number } {
  const labels: string[] = []
  let at = 12
  while (question[at]) {
    const length = question[at] ?? 0
    labels.push(question.subarray(at + 1, at + 1 + length).toString())
    at += length + 1
  }
  return { text: labels.join('.').toLowerCase(), bytes: at + 1 - 12 }
}

/** The name is that of the question; class IN, one minute. */
function answerOf(octets: readonly number[]): Buffer {
  return Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...octets])
}
