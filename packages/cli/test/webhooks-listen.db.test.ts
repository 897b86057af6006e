import type { ChildProcess } from 'node:child_process'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { verifyWebhook } from '@skein/client'
import { waitFor } from '@skein/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startCliWorld, type CliWorld } from './cli-world.ts'

const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface SentEvent {
  readonly type: string
  readonly data: { readonly sequence: string; readonly agentId: { readonly agent: readonly string[] } }
}

let world: CliWorld
let receiver: Server
let received: Received[]
let status: number
let line: CutLine
let listening: ChildProcess | undefined

/** A line to the server that breaks when told to. */
class CutLine {
  readonly #sockets = new Set<Socket>()
  readonly #server
  #refuses = false

  constructor(port: number) {
    this.#server = createTcpServer((near) => {
      if (this.#refuses) return near.destroy()
      const far = connect(port, '127.0.0.1')
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
      return undefined
    })
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  cut(refuses: boolean): void {
    this.#refuses = refuses
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.cut(true)
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

let lineUrl: string

beforeAll(async () => {
  world = await startCliWorld({ withoutRunner: true })
  receiver = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  line = new CutLine(Number(new URL(world.baseUrl).port))
  lineUrl = await line.start()
})

afterAll(async () => {
  receiver.closeAllConnections()
  await new Promise((resolve) => receiver.close(resolve))
  await line.close()
  await world.close()
})

beforeEach(() => {
  received = []
  status = 204
})

afterEach(async () => {
  await stop()
})

const receiverPort = () => (receiver.address() as AddressInfo).port

/** Starts it and waits until it listens. Returns what it prints. */
async function listen(args: readonly string[] = [], env: Record<string, string> = {}): Promise<() => string> {
  const child = world.start(['webhooks', 'listen', '--forward-to', `${receiverPort()}/hook`, ...args], {
    SKEIN_URL: lineUrl,
    ...env,
  })
  listening = child
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  }
  await waitFor(() => /forwarding|forwardTo/i.test(printed), { what: 'it to listen', timeoutMs: 60_000 })
  return () => printed
}

async function stop(): Promise<number | null> {
  const child = listening
  listening = undefined
  if (!child || child.exitCode !== null) return child?.exitCode ?? null
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  return ended
}

const idOf = (agent: string) => ({ workspace: 'shop', agent: [agent] })

async function spawnAgent(agent: string): Promise<void> {
  const answer = await world.tenant.admin.post('/v1/agent/spawn', {
    agentId: idOf(agent),
    description: 'Work.',
  })
  expect(answer.status).toBe(200)
}

async function send(agent: string): Promise<void> {
  const answer = await world.tenant.admin.post('/v1/agent/queue', {
    agentId: idOf(agent),
    description: 'More.',
  })
  expect(answer.status).toBe(200)
}

async function timelineOf(agent: string): Promise<Record<string, unknown>[]> {
  const answer = await world.tenant.admin.post('/v1/agent/timeline', { agentId: idOf(agent) })
  return answer.body['events'] as Record<string, unknown>[]
}

const sentOf = (agent: string): SentEvent[] =>
  received
    .map(({ body }) => JSON.parse(body) as SentEvent)
    .filter(({ data }) => data.agentId.agent[0] === agent)

async function allArrived(agent: string): Promise<void> {
  const amount = (await timelineOf(agent)).length
  await waitFor(() => sentOf(agent).length >= amount, {
    what: `${amount} events of ${agent}`,
    timeoutMs: 60_000,
  })
}

test('events arrive as a webhook sends them, signed with the key that it prints', async () => {
  const printed = await listen()
  const [key = ''] = /whsec_\S+/.exec(printed()) ?? []
  await spawnAgent('first')
  await allArrived('first')
  const [request] = received
  const event = await verifyWebhook(request?.body ?? '', request?.headers ?? {}, key)
  const timeline = await timelineOf('first')
  expect(event).toEqual({ type: 'agent.spawned', timestamp: timeline[0]?.['time'], data: timeline[0] })
  expect(sentOf('first').map(({ data }) => data)).toEqual(timeline)
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^skein\//) as unknown,
    'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}_1$/) as unknown,
  })
  await waitFor(() => /agent\.spawned {2}shop\/first #1 {2}204 {2}\d+ ms/.test(printed()), {
    what: 'its line',
  })
  expect(await stop()).toBe(0)
})

test('nothing is lost or repeated while the connection breaks', { timeout: 120_000 }, async () => {
  await spawnAgent('old')
  const before = (await timelineOf('old')).length
  await listen([], { SKEIN_SIGNING_KEY: KEY })
  for (let round = 0; round < 4; round += 1) {
    await spawnAgent(`new-${round}`)
    line.cut(true)
    await send('old')
    await spawnAgent(`cut-${round}`)
    line.cut(false)
    await send(`cut-${round}`)
  }
  const agents = [0, 1, 2, 3].flatMap((round) => [`new-${round}`, `cut-${round}`])
  for (const agent of agents) await allArrived(agent)
  const rest = (await timelineOf('old')).slice(before)
  await waitFor(() => sentOf('old').length >= rest.length, { what: 'the rest of old', timeoutMs: 60_000 })
  expect(sentOf('old').map(({ data }) => data)).toEqual(rest)
  for (const agent of agents) expect(sentOf(agent).map(({ data }) => data)).toEqual(await timelineOf(agent))
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(received.length)
  for (const { body, headers } of received) await verifyWebhook(body, headers, KEY)
})

test('an agent that had ended is heard from when it is spawned again', async () => {
  await spawnAgent('phoenix')
  await world.tenant.admin.post('/v1/agent/kill', { agentId: idOf('phoenix') })
  const before = (await timelineOf('phoenix')).length
  await listen()
  await spawnAgent('phoenix')
  const rest = (await timelineOf('phoenix')).slice(before)
  await waitFor(() => sentOf('phoenix').length >= rest.length, { what: 'its events' })
  expect(sentOf('phoenix').map(({ data }) => data)).toEqual(rest)
})

test('only some events, and an end, can be chosen; a failure is shown', async () => {
  status = 500
  const printed = await listen(['--json', '--events', 'agent.spawned', '--limit', '2'])
  const ended = new Promise((resolve) => listening?.once('exit', resolve))
  await spawnAgent('some-1')
  await spawnAgent('some-2')
  expect(await ended).toBe(0)
  const [started, ...lines] = printed()
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as Record<string, unknown>)
  expect(started).toMatchObject({ forwardTo: `http://localhost:${receiverPort()}/hook` })
  expect(lines).toMatchObject([
    {
      type: 'agent.spawned',
      agent: 'shop/some-1',
      status: 500,
      error: expect.stringContaining('500') as unknown,
    },
    { type: 'agent.spawned', agent: 'shop/some-2', status: 500 },
  ])
  expect(received).toHaveLength(2)
})

test('a receiver that is not there is said so', async () => {
  const printed = await listen(['--forward-to', '127.0.0.1:9', '--events', 'agent.spawned'])
  await spawnAgent('lonely')
  await waitFor(() => printed().includes('#1'), { what: 'the line' })
  expect(printed()).toContain('Nothing listens there.')
})

test.each([
  [['--forward-to', 'ftp://example.com'], {}],
  [['--forward-to', '3000', '--limit', '0'], {}],
  [['--forward-to', '3000'], { SKEIN_SIGNING_KEY: 'secret' }],
  [[], {}],
])('it refuses %j with %j', async (args, env) => {
  const { exitCode } = await world.skein(['webhooks', 'listen', ...args], { env })
  expect(exitCode).toBe(2)
})
