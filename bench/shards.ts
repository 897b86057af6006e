/**
 * `npm run bench:shards`: what it costs to spread notifications over channels, so that a server listens only to those of the
 * topics somebody waits for there. Connections listen as so many servers would, each for random topics, while changes are
 * published. Prints, for each number of channels, the messages that a server receives and the CPU time; the last line is JSON.
 * Options: --listeners 20 --topics 500 --agents 10000 --changes 2000 --channels 1,1024,4096
 */
import { parseArgs } from 'node:util'
import { startPostgresServer } from '@skein/testkit'
import { Client } from 'pg'
import { CpuMeter } from './cpu-meter.ts'

const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '20' },
    topics: { type: 'string', default: '500' },
    agents: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '2000' },
    channels: { type: 'string', default: '1,1024,4096' },
  },
})
const listeners = Number(values.listeners)
const topics = Number(values.topics)
const changes = Number(values.changes)

/** What a change also wakes: those who watch the tenant's agents, and runners. */
const BESIDE = ['t:tenant', 'p:tenant/default', 'p:*/default']

const postgres = await startPostgresServer({ durable: true })
try {
  const cpu = await CpuMeter.open(postgres.url('postgres'))
  const figures = []
  for (const channels of values.channels.split(',').map(Number)) {
    const figure = { channels, ...(await publishTo(channels, cpu)) }
    console.log(
      `${channels} channels: ${figure.heardPerChange.toFixed(2)} messages per change and server, CPU ${figure.listenersCpuMs} ms of servers, ${figure.databaseCpuMs} ms of PostgreSQL`,
    )
    figures.push(figure)
  }
  await cpu.close()
  console.log(JSON.stringify({ shards: { listeners, topics, changes, figures } }))
} finally {
  await postgres.stop()
}

async function publishTo(channels: number, cpu: CpuMeter) {
  let heard = 0
  let woken = 0
  const clients = await Promise.all(
    Array.from({ length: listeners }, async (_, number) => {
      const own = new Set(Array.from({ length: topics }, (_topic, index) => topicOf(number * topics + index)))
      const client = await connect()
      client.on('notification', ({ payload = '' }) => {
        heard += 1
        for (const key of payload.split(' ')) if (own.has(key)) woken += 1
      })
      const names = new Set([...own].map((topic) => channelOf(topic, channels)))
      await client.query([...names].map((name) => `listen ${name}`).join(';'))
      return client
    }),
  )
  const publisher = await connect()
  const before = { own: process.cpuUsage(), database: await cpu.read(0) }
  for (let change = 0; change < changes; change++) {
    const byChannel = Map.groupBy([topicOf(change * 7), ...BESIDE], (topic) => channelOf(topic, channels))
    await publisher.query({
      name: 'notify',
      text: 'select pg_notify(m.channel, m.payload) from unnest($1::text[], $2::text[]) as m(channel, payload)',
      values: [[...byChannel.keys()], [...byChannel.values()].map((keys) => keys.join(' '))],
    })
  }
  // Whatever was published before has arrived when this does.
  await Promise.all(clients.map((client) => client.query('select 1')))
  const { user, system } = process.cpuUsage(before.own)
  const databaseCpuMs = (await cpu.read(0)) - before.database
  for (const client of [...clients, publisher]) await client.end()
  if (woken === 0) throw new Error('Nobody was woken')
  return {
    heardPerChange: heard / listeners / changes,
    woken,
    listenersCpuMs: Math.round((user + system) / 1000),
    databaseCpuMs,
  }
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: postgres.url('postgres') })
  await client.connect()
  return client
}

function channelOf(topic: string, channels: number): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < topic.length; index++)
    hash = Math.imul(hash ^ topic.charCodeAt(index), 0x01000193) >>> 0
  return `wake_${hash % channels}`
}

function topicOf(number: number): string {
  const agent = (Math.imul(number + 1, 0x9e3779b1) >>> 8) % Number(values.agents)
  return `a:0199d2f4-0000-7000-8000-${agent.toString(16).padStart(12, '0')}`
}
