import { createHmac } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCliWorld, type CliWorld } from './cli-world.ts'

const GUIDE = new URL('../../../docs/guides/start-an-agent-from-a-ticket.md', import.meta.url)
const ISSUE = {
  action: 'labeled',
  issue: { number: 42, title: 'The cart is broken', body: 'Look.', labels: [{ name: 'agent' }] },
}

let world: CliWorld
let key: string

/** Does what the guide says, with its own documents. */
beforeAll(async () => {
  world = await startCliWorld({ withoutRunner: true })
  const guide = await readFile(GUIDE, 'utf8')
  const [profile = '', trigger = ''] = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)
  await writeFile(join(world.folder, 'night-shift.yaml'), profile)
  await writeFile(join(world.folder, 'tickets.yaml'), trigger)
  await writeFile(join(world.folder, 'issue.json'), JSON.stringify(ISSUE))
  await world.tenant.admin.write('workspace', 'shop', {})
})

afterAll(() => world.close())

const file = (name: string) => join(world.folder, name)

async function send(body: object): Promise<void> {
  const text = JSON.stringify(body)
  const signature = createHmac('sha256', key).update(text).digest('hex')
  const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'issues' }
  const path = `/v1/trigger/codehost_app:${world.tenant.tenant.org}/tickets`
  expect((await world.server.anonymous.post(path, text, { headers })).status).toBe(202)
  await world.server.applyTriggers()
}

test('a trigger is tried before it is written', async () => {
  const args = ['triggers', 'test', file('tickets.yaml'), '--body', file('issue.json')]
  const { stdout } = await world.skein([...args, '--header', 'X-GitHub-Event=issues'])
  expect(stdout).toContain('Sends to ticket-42:')
  expect(stdout).toContain('Fix the problem that ticket 42 describes.')
  expect(stdout).toContain('\n> The cart is broken\n')
  expect((await world.skein([...args, '--header', 'x-github-event=push'])).stdout).toContain(
    'The condition is false.',
  )
  expect((await world.skein([...args, '--header', 'nothing'])).exitCode).toBe(2)
  expect((await world.skein(['triggers', 'test', file('night-shift.yaml')])).exitCode).toBe(2)
  expect((await world.skein(['triggers', 'list'])).stdout).toContain('No triggers.')
})

test('applied, it starts an agent for a ticket, which the log shows', async () => {
  const applied = await world.skein(['apply', '-f', file('night-shift.yaml'), '-f', file('tickets.yaml')])
  key = /whsec_[A-Za-z0-9+/=]+/.exec(applied.stdout + applied.stderr)?.[0] ?? ''
  expect((await world.skein(['triggers', 'list'])).stdout).toMatch(
    /^tickets +active +github +shop +night-shift$/m,
  )
  expect((await world.skein(['triggers', 'log', 'tickets'])).stdout).toContain('No genuine requests')
  await send(ISSUE)
  await send(ISSUE)
  const { stdout } = await world.skein(['triggers', 'log', 'tickets'])
  expect(stdout.match(/spawned +shop\/ticket-42/g)).toHaveLength(1)
})

test('a trigger is shown', async () => {
  const { stdout } = await world.skein(['triggers', 'show', 'tickets'])
  expect(stdout).toMatch(/^Sender +github$/m)
  expect(stdout).toMatch(/^Workspace +shop$/m)
  expect(stdout).toMatch(/^Sends to +ticket-/m)
  expect(await world.json(['triggers', 'show', 'tickets'])).toMatchObject({
    document: { profile: 'night-shift' },
  })
})

test('a delivery is shown and replayed', async () => {
  const { deliveries } = await world.json(['triggers', 'log', 'tickets'])
  const [{ id }] = deliveries as [{ id: string }]
  const { stdout } = await world.skein(['triggers', 'show', 'tickets', id])
  expect(stdout).toContain('x-github-event: issues')
  expect(stdout).toContain('The cart is broken')
  await world.skein(['triggers', 'replay', 'tickets', id])
  await world.server.applyTriggers()
  expect((await world.skein(['triggers', 'log', 'tickets'])).stdout).toContain('sent')
})

test('it is paused and resumed', async () => {
  await world.skein(['triggers', 'pause', 'tickets'])
  expect((await world.skein(['triggers', 'list'])).stdout).toContain('paused')
  await send({ ...ISSUE, again: true })
  expect((await world.skein(['triggers', 'log', 'tickets', '--limit', '1'])).stdout).toContain(
    'The trigger is paused.',
  )
  await world.skein(['triggers', 'resume', 'tickets'])
  expect((await world.skein(['triggers', 'list'])).stdout).toContain('active')
  expect((await world.skein(['triggers', 'log', 'tickets', '--limit', '0'])).exitCode).toBe(2)
})

test('repositories whose issues start agents are listed with what keeps them from it', async () => {
  expect((await world.skein(['code-hosts'])).stdout).toContain('No repository starts agents')
  const client = new Client({ connectionString: world.server.database.ownerUrl })
  await client.connect()
  await client.query(
    `insert into host_watch (tenant_id, workspace, code_host, owner, repository, problem, look_at)
     values ($1, 'shop', 'github', 'acme', 'shop', 'The code host refused (status 404).', 'infinity')`,
    [world.tenant.id],
  )
  await client.end()
  const { stdout } = await world.skein(['code-hosts'])
  expect(stdout).toMatch(/^acme\/shop +github +shop +fails /m)
  expect(stdout).toContain('acme/shop: The code host refused (status 404).')
})
