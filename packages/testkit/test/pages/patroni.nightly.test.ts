/** Runs the commands of docs/deploy/patroni.md on four machines that have nothing but Debian 12, and loses one. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../tree.ts'
import { canFollowPages, followPage } from './follow-page.ts'
import { Machines, type Machine } from './machine.ts'

const MEMBERS = 'patronictl -c /etc/patroni/config.yml list --format json'
const WHOAMI =
  'curl --silent --max-time 5 http://127.0.0.1:8080/v1/whoami -H "Authorization: Bearer $(cat /root/admin-key)" || true'

let machines: Machines | undefined
let folder: string
const machine: Record<string, Machine> = {}

beforeAll(async () => {
  if (!canFollowPages) return
  folder = await mkdtemp(join(tmpdir(), 'skein-page-'))
  machines = await Machines.start('skein-patroni', 12)
  machine['pg1'] = await machines.add('pg1', '10.0.0.1')
  machine['pg2'] = await machines.add('pg2', '10.0.0.2')
  machine['witness'] = await machines.add('witness', '10.0.0.3')
  machine['skein1'] = await machines.add('skein1', '10.0.0.11')
}, 900_000)

afterAll(async () => {
  await machines?.remove()
  if (canFollowPages) await rm(folder, { recursive: true })
})

async function copy(file: string, from: string, to: string): Promise<void> {
  await machine[from]?.copyOut(`/root/${file}`, join(folder, file))
  await machine[to]?.copyIn(join(folder, file), `/root/${file}`)
}

/** What the page asks for besides its commands. */
async function prepare(heading: string): Promise<void> {
  if (heading === '2. The primary') {
    await machine['pg1']?.execute('mkdir dist')
    await machine['pg1']?.copyIn(join(root, 'dist/deploy'), '/root/dist/deploy')
  }
  if (heading.startsWith('4.')) await machine['skein1']?.copyIn(join(root, 'dist'), '/root/dist')
  if (heading === '3. The standby') await copy('patroni.yml', 'pg1', 'pg2')
  if (heading === '5. The database') await copy('new-database.sql', 'skein1', 'pg1')
  if (heading === 'When the primary fails') {
    await followPage('docs/deploy/two-machines.md', machine, { only: (step) => step === '3. The server' })
  }
}

/** Roles of the members that run, by name. */
async function readRoles(on: string): Promise<Record<string, string>> {
  const members = JSON.parse((await machine[on]?.execute(MEMBERS)) ?? '') as {
    Member: string
    Role: string
    State: string
  }[]
  return Object.fromEntries(
    members
      .filter(({ State }) => /^(running|streaming)$/.test(State))
      .map(({ Member, Role }) => [Member, Role]),
  )
}

test.skipIf(!canFollowPages)(
  'patroni.md leads to a primary with a synchronous standby, and to a server that follows a switchover',
  { timeout: 3_600_000 },
  async () => {
    await followPage('docs/deploy/two-machines.md', machine, { only: (step) => step.startsWith('1.') })
    const { printed } = await followPage('docs/deploy/patroni.md', machine, { before: prepare })
    const etcd = await machine['witness']?.execute('ETCDCTL_API=3 etcdctl member list')
    expect(etcd?.match(/started/g)).toHaveLength(3)
    expect(printed['3. The standby']).toMatch(/pg1 .*Leader/)
    expect(printed['3. The standby']).toMatch(/pg2 .*Sync Standby/)
    expect(printed['When the primary fails']).toContain('"status":"ok"')
    await waitFor(async () => (await readRoles('pg1'))['pg2'] === 'Leader', {
      what: 'pg2 to lead',
      timeoutMs: 60_000,
      intervalMs: 1_000,
    })
    await machine['skein1']?.execute('systemctl is-enabled skein-server haproxy')
  },
)

test.skipIf(!canFollowPages)(
  'the other machine takes over when the one of the primary is lost, and the lost one comes back as the standby',
  { timeout: 1_200_000 },
  async () => {
    await waitFor(async () => (await readRoles('pg1'))['pg1'] === 'Sync Standby', {
      what: 'pg1 to be in sync',
      timeoutMs: 120_000,
      intervalMs: 1_000,
    })
    const lostAt = performance.now()
    await machine['pg2']?.lose()
    await waitFor(async () => (await readRoles('pg1'))['pg1'] === 'Leader', {
      what: 'pg1 to lead',
      timeoutMs: 180_000,
      intervalMs: 1_000,
    })
    await waitFor(async () => (await machine['skein1']?.execute(WHOAMI))?.includes('ada') ?? false, {
      what: 'the server to answer',
      timeoutMs: 120_000,
      intervalMs: 1_000,
    })
    const outageSeconds = Math.round((performance.now() - lostAt) / 1000)
    const backAt = performance.now()
    await machine['pg2']?.recover()
    await waitFor(async () => (await readRoles('pg1'))['pg2'] === 'Sync Standby', {
      what: 'pg2 to follow',
      timeoutMs: 180_000,
      intervalMs: 1_000,
    })
    const rejoinSeconds = Math.round((performance.now() - backAt) / 1000)
    console.log(JSON.stringify({ outageSeconds, rejoinSeconds }))
    expect(await readRoles('pg1')).toEqual({ pg1: 'Leader', pg2: 'Sync Standby' })
  },
)
