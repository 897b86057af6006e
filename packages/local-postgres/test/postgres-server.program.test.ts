import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isAlive, listChildProcesses } from '@skein/host'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startPostgresServer, type PostgresServerOptions } from '../src/postgres-server.ts'
import { waitFor } from '@skein/testkit'

async function start(options: PostgresServerOptions = {}) {
  const server = await startPostgresServer(options)
  onTestFinished(() => server.stop())
  return server
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'skein-local-postgres-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

const postmasters = () => listChildProcesses(process.pid).filter(({ command }) => command.includes('-D '))

describe('a temporary server', () => {
  test('listens on the loopback interface only, and is gone with its data after stop', async () => {
    const server = await start()
    const { port, pid, dataDir } = server
    expect(await query(server.url(), `show listen_addresses`)).toEqual([{ listen_addresses: '127.0.0.1' }])
    expect(await query(server.url(), `show unix_socket_directories`)).toEqual([
      { unix_socket_directories: '' },
    ])
    expect(await query(server.url(), `show fsync`)).toEqual([{ fsync: 'off' }])
    await server.stop()
    expect(pid !== undefined && isAlive(pid)).toBe(false)
    expect(existsSync(dataDir)).toBe(false)
    await expect(query(`postgres://postgres@127.0.0.1:${port}/postgres`, 'select 1')).rejects.toThrow(
      'ECONNREFUSED',
    )
  })

  test('asks for a password', async () => {
    const server = await start()
    const wrong = server.url().replace(/:[0-9a-f]+@/, ':wrong@')
    await expect(query(wrong, 'select 1')).rejects.toThrow(/password authentication failed/)
  })

  test('killed with work in flight, restarts on the same port with what was committed', async () => {
    const server = await start({ durable: true })
    const url = server.url()
    expect(await query(url, 'show fsync')).toEqual([{ fsync: 'on' }])
    await query(url, 'create table kept (id int); insert into kept values (1)')
    const busy = new Client({ connectionString: url })
    busy.on('error', () => undefined)
    await busy.connect()
    await busy.query('begin; insert into kept values (2)')
    // A loop that never looks up: such a backend would outlive its postmaster.
    const spinning = busy.query(`do $$ begin loop end loop; end $$`).catch((error: unknown) => error)
    await server.kill()
    expect(await spinning).toBeInstanceOf(Error)
    await expect(query(url, 'select 1')).rejects.toThrow('ECONNREFUSED')
    await server.start()
    expect(server.url()).toBe(url)
    expect(await query(url, 'select id from kept')).toEqual([{ id: 1 }])
  })

  test.each(['postmaster', 'immediate'] as const)(
    'recovers what was committed after it was ended by %s',
    async (how) => {
      const server = await start({ durable: true })
      const url = server.url()
      await query(url, 'create table kept (id int); insert into kept values (1)')
      const busy = new Client({ connectionString: url })
      busy.on('error', () => undefined)
      await busy.connect()
      await busy.query('begin; insert into kept values (2)')
      await server.kill(how)
      await server.start()
      expect(await query(url, 'select id from kept')).toEqual([{ id: 1 }])
    },
  )

  test('killed and then stopped, leaves no data', async () => {
    const server = await start()
    await server.kill()
    await server.stop()
    expect(existsSync(server.dataDir)).toBe(false)
  })
})

describe('a persistent server', () => {
  test('keeps its data and its password between starts', async () => {
    const dataDir = await temporaryDirectory()
    const first = await start({ dataDir })
    await query(first.url(), 'create table kept (id int)')
    await first.stop()
    const second = await start({ dataDir, port: first.port })
    expect(second.url()).toBe(first.url())
    expect(await query(second.url(), 'select id from kept')).toEqual([])
  })

  test.runIf(process.platform === 'linux')(
    'waits for its port when another process still has it',
    async () => {
      const dataDir = await temporaryDirectory()
      const first = await start({ dataDir })
      await first.stop()
      const occupant = createServer().listen(first.port, '127.0.0.1')
      await once(occupant, 'listening')
      const starting = start({ dataDir, port: first.port })
      await waitFor(() => postmasters().length > 0, { what: 'an attempt', intervalMs: 1 })
      await waitFor(() => postmasters().length === 0, { what: 'its failure', intervalMs: 1 })
      occupant.close()
      expect(await query((await starting).url(), 'select 1 as one')).toEqual([{ one: 1 }])
    },
  )

  test.runIf(process.platform === 'linux')(
    'starts on data whose server was killed, even when its process number belongs to another program by now',
    async () => {
      const dataDir = await temporaryDirectory()
      const first = await start({ dataDir, durable: true })
      await query(first.url(), 'create table kept (id int)')
      const lockFile = join(dataDir, 'pgdata', 'postmaster.pid')
      const lines = (await readFile(lockFile, 'utf8')).split('\n')
      await first.kill()
      await writeFile(lockFile, [process.pid, ...lines.slice(1)].join('\n'))
      const second = await start({ dataDir, durable: true })
      expect(await query(second.url(), 'select id from kept')).toEqual([])
    },
  )

  test('refuses data that another server is using, and leaves that one alone', async () => {
    const dataDir = await temporaryDirectory()
    const first = await start({ dataDir })
    await expect(startPostgresServer({ dataDir })).rejects.toThrow(
      /lock file "postmaster.pid" already exists/,
    )
    expect(await query(first.url(), 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

function spawnOwner(...args: string[]) {
  const script = fileURLToPath(new URL('./fixtures/server-owner.ts', import.meta.url))
  return spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function killOwner(...args: string[]) {
  const owner = spawnOwner(...args)
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string]
  const server = JSON.parse(line) as { pid: number; dataDir: string }
  expect(isAlive(server.pid)).toBe(true)
  owner.kill('SIGKILL')
  await waitFor(() => !isAlive(server.pid), { what: 'the end of the postmaster' })
  return server
}

describe('when its owner is killed', () => {
  test('a temporary server ends and its data goes', async () => {
    const { pid, dataDir } = await killOwner()
    expect(isAlive(pid)).toBe(false)
    await waitFor(() => !existsSync(dataDir), { what: 'the data to be deleted' })
  })

  test('a persistent server ends cleanly and its data stays', async () => {
    const dataDir = await temporaryDirectory()
    await killOwner(dataDir)
    expect(existsSync(join(dataDir, 'pgdata', 'postmaster.pid'))).toBe(false)
    const server = await start({ dataDir })
    expect(server.log).toContain('database system was shut down')
  })

  test.runIf(process.platform === 'linux')('even a server that is still being created goes', async () => {
    const owner = spawnOwner()
    const pid = owner.pid ?? 0
    const creating = await waitFor(
      () => listChildProcesses(pid).find(({ command }) => command.includes('/initdb ')),
      { what: 'initdb' },
    )
    const dataDir = dirname(/--pgdata=(\S+)/.exec(creating.command)?.[1] ?? '')
    owner.kill('SIGKILL')
    await waitFor(() => !isAlive(creating.pid) && !existsSync(dataDir), { what: 'its end' })
    expect(dataDir).toContain('skein-postgres-')
  })
})
