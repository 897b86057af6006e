import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  PAGE_SECRET,
  ScriptedRunner,
  scriptOf,
  startTestServer,
  waitFor,
  type TestServer,
} from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PoisoningProxy, POISON } from './poisoning-proxy.ts'
import { commandNames, runOnTerminal } from './terminal.ts'

let server: TestServer
let runner: ScriptedRunner
let proxy: PoisoningProxy
let folder: string
let env: Record<string, string>

beforeAll(async () => {
  // An export leaves out the last minute, so the tenant is made older.
  let behindMs = 120_000
  server = await startTestServer({ sweeps: true, clock: { now: () => Date.now() - behindMs } })
  const { admin, tenant } = await server.createTenant()
  behindMs = 0
  const baseUrl = await server.app.listen({ host: '127.0.0.1', port: 0 })
  await admin.write('workspace', 'shop', {})
  await admin.write('persona', 'reviewer', { prompt: 'Review.', description: 'reviews' })
  await admin.write('token', 'ci', { account: 'ci', role: 'viewer', description: 'for CI' })
  const { document } = await admin.write('token', 'runner', {
    account: 'r',
    role: 'runner',
    pools: ['default'],
  })
  runner = new ScriptedRunner({ baseUrl, apiKey: String(document['key']), heartbeatMs: 200 }).start()
  const agentId = { workspace: 'shop', agent: ['bird'] }
  await admin.post('/v1/agent/spawn', {
    agentId,
    description: scriptOf(
      { do: 'say', text: 'I look around.' },
      { do: 'push', files: ['a.ts'] },
      { do: 'spend', cost: 1, tokens: 1 },
      { do: 'ask', question: 'Which one?' },
    ),
    labels: { team: 'red' },
    tasks: [{ subject: 'first' }, { subject: 'second' }],
  })
  await admin.post('/v1/agent/spawn', {
    agentId: { workspace: 'shop', agent: ['bird', 'chick'] },
    description: 'hi',
  })
  await waitFor(
    async () => {
      const { body } = await admin.post('/v1/agent/status', { agentId })
      return body['phase'] === 'PHASE_WAITING'
    },
    { what: 'the agent to ask' },
  )
  const deliverAt = new Date(Date.now() + 3_600_000).toISOString()
  await admin.post('/v1/agent/queue', { agentId, description: 'later', followUpId: 'later', deliverAt })
  await admin.post('/v1/session', { apiKey: admin.key, pageSecret: PAGE_SECRET })
  await admin.write('integration', 'hook', { url: 'https://hooks.example.com/' })
  await admin.write('profile', 'night', {})
  const automation = {
    description: 'at night',
    profile: 'night',
    workspace: 'shop',
    spawn: { description: 'Tidy up.' },
  }
  await admin.write('schedule', 'tidy', { ...automation, cron: '30 2 * * *' })
  const trigger = await admin.write('trigger', 'tickets', { ...automation, verification: { type: 'bearer' } })
  await admin.post('/v1/schedule/tidy/run', {})
  await server.fireSchedules()
  await server.anonymous.post(`/v1/trigger/codehost_app:${tenant.org}/tickets`, '{}', {
    headers: { authorization: `Bearer ${String(trigger.document['key'])}` },
  })
  await server.applyTriggers()
  proxy = new PoisoningProxy(baseUrl)
  folder = await mkdtemp(join(tmpdir(), 'skein-hostile-'))
  env = {
    HOME: folder,
    EDITOR: 'true',
    SKEIN_URL: await proxy.start(),
    SKEIN_API_KEY: admin.key ?? '',
    PATH: process.env['PATH'] ?? '',
  }
  await writeFile(join(folder, 'one.yaml'), 'kind: persona\nname: reviewer\nprompt: Another.\n')
})

afterAll(async () => {
  await runner.stop()
  await proxy.stop()
  await server.close()
  await rm(folder, { recursive: true })
})

/** How each command is given. */
const COMMANDS: readonly string[] = [
  'whoami',
  'open shop/bird --print',
  'doctor',
  'spawn --workspace shop --name first work',
  'spawn --workspace shop --name second --wait work',
  'ps --all',
  'status shop/bird',
  'logs shop/bird',
  'diff shop/bird',
  'send shop/bird hello --in 1h --id hello',
  'queue ls shop/bird',
  'queue rm shop/bird nothing',
  'queue clear shop/bird',
  'wait shop/bird',
  'stop shop/bird',
  'tasks shop/bird',
  'restart shop/bird',
  'share shop/bird',
  'budget shop/bird 3',
  'get',
  'get persona',
  'get nothing',
  'get persona reviewer',
  'apply --file FILE',
  'edit persona reviewer',
  'history persona reviewer',
  'delete persona reviewer --yes',
  'token ls',
  'usage',
  'runners',
  'token rotate ci',
  'token revoke ci',
  'token create another --role viewer',
  'sessions ls',
  'sessions end 0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10',
  'invite create',
  'invite ls',
  'invite revoke 0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10',
  'code-hosts',
  'tenants ls',
  'tenants create other --admin ada --because test',
  'tenants suspend other --because test',
  'tenants resume other --because test',
  'tenants export other --because test',
  'tenants delete other --confirm other --because test',
  'audit',
  'audit export',
  'webhooks list',
  'webhooks show missing',
  'webhooks log missing',
  'webhooks dead-letters missing',
  'webhooks test missing',
  'webhooks replay missing --dead-letters',
  'webhooks pause missing',
  'webhooks resume missing',
  'webhooks listen --forward-to 127.0.0.1:9 --limit 1',
  'schedules list',
  'schedules show tidy',
  'schedules log tidy',
  'schedules show missing',
  'schedules log missing',
  'schedules run missing',
  'schedules pause missing',
  'schedules resume missing',
  'triggers list',
  'triggers show tickets',
  'triggers log tickets',
  'triggers show missing 0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10',
  'triggers log missing',
  'triggers test missing',
  'triggers replay missing 0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10',
  'triggers pause missing',
  'triggers resume missing',
  'pr list --all',
  'pr show missing',
  'kill shop/second --yes',
  'status shop/missing',
  'login --key KEY',
  'logout',
]

/** `demo` and `dev` have no server yet, `completion` asks none, and `mcp` speaks JSON to a program. */
const WITHOUT_SERVER = ['demo', 'dev', 'mcp', 'completion', 'complete']

/** They show nothing of what the server answers, unless it refuses. */
const SILENT =
  /^(queue rm|queue clear|logout|budget|edit|delete|pr|code-hosts|token|apply|kill|diff|restart|status shop.missing|schedules (?!list|show tidy|log tidy)|triggers (?!list|show tickets|log tickets)|webhooks (?!list))/

function argsOf(command: string): string[] {
  return command.split(' ').map((word) => {
    if (word === 'FILE') return join(folder, 'one.yaml')
    return word === 'KEY' ? (env['SKEIN_API_KEY'] ?? '') : word
  })
}

/** What is left of our own colours, and nothing else that a terminal would obey. */
const OWN_COLORS = new RegExp(String.raw`\u001b\[(?:1|2|22|3[1-9])m`, 'g')
const OBEYED = /(?![\t\n])\p{Cc}|\p{Bidi_Control}/u

describe('on a terminal, whatever the server answers,', () => {
  it('every command is tried here', () => {
    const untried = commandNames().filter((name) => !COMMANDS.some((command) => command.startsWith(name)))
    expect(untried).toEqual(WITHOUT_SERVER)
  })

  it.each(COMMANDS)('skein %s sends nothing that it would obey', async (command) => {
    const plain = await runOnTerminal(argsOf(command), { ...env, NO_COLOR: '1' })
    expect(plain).not.toMatch(OBEYED)
    expect(plain.split('\n').filter((line) => line.startsWith('forged'))).toEqual([])
    expect(SILENT.test(command) || plain.includes('pwned')).toBe(true)
    const colored = await runOnTerminal(argsOf(command), env)
    expect(colored.replaceAll(OWN_COLORS, '')).not.toMatch(OBEYED)
  })

  it.each(COMMANDS)('skein %s --json is JSON with every such character escaped', async (command) => {
    const sent = await runOnTerminal([...argsOf(command), '--json'], env)
    expect(sent).not.toMatch(OBEYED)
    const values = sent
      .trimEnd()
      .split(/\n(?=\{)/)
      .map((text) => JSON.parse(text) as unknown)
    const isWhole = JSON.stringify(values).includes(JSON.stringify(POISON).slice(1, -1))
    expect(SILENT.test(command) || isWhole).toBe(true)
  })
})
