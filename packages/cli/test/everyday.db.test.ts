import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REASONS, type Assignment } from '@skein/contract'
import { startTestServer, waitFor, type TestClient, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nextStepOf } from '../src/errors/next-steps.ts'
import { runCommand, type CommandRun } from './run-command.ts'

let server: TestServer
let tenant: TestTenant
let runner: TestClient
let folder: string
let env: Record<string, string>

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant()
  folder = await mkdtemp(join(tmpdir(), 'skein-everyday-'))
  await tenant.admin.write('workspace', 'shop', { repos: [{ url: join(folder, 'shop.git') }] })
  await tenant.admin.write('persona', 'reviewer', { prompt: 'Review.' })
  const { document } = await tenant.admin.write('token', 'runner', {
    account: 'runner',
    role: 'runner',
    pools: ['default'],
  })
  runner = tenant.client(String(document['key']))
  env = {
    HOME: folder,
    PATH: process.env['PATH'] ?? '',
    SKEIN_URL: await server.app.listen({ host: '127.0.0.1', port: 0 }),
    SKEIN_API_KEY: tenant.admin.key ?? '',
  }
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const skein = (...args: string[]): Promise<CommandRun> => runCommand(args, env)

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await skein(...args, '--json')
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

/** An agent whose first run a runner holds. */
async function running(name: string, fields: object = {}): Promise<Assignment> {
  const agentId = { workspace: 'shop', agent: [name] }
  const answer = await tenant.admin.post('/v1/agent/spawn', { agentId, description: 'Work.', ...fields })
  if (answer.status !== 200) throw new Error(answer.text)
  return nextRun(name)
}

function nextRun(name: string): Promise<Assignment> {
  return waitFor(
    async () => {
      const { body } = await runner.post('/v1/runner/poll', { capacity: 100 })
      return (body['runs'] as Assignment[]).find((run) => run.agentId.agent[0] === name)
    },
    { what: `a run of ${name}`, timeoutMs: 60_000 },
  )
}

const complete = ({ lease }: Assignment, outcome: object) =>
  runner.post('/v1/runner/complete', { lease, outcome })

const report = ({ lease }: Assignment, ...events: object[]) =>
  runner.post('/v1/runner/heartbeat', { runs: [{ lease, reportId: crypto.randomUUID(), events }] })

describe('an error', () => {
  test('repeats the name of the agent, and names one that is like it', async () => {
    await running('checkout')
    const { stderr, exitCode } = await skein('status', 'shop/chekout')
    expect(stderr).toContain('Agent not found: shop/chekout.')
    expect(stderr).toContain('Did you mean shop/checkout?')
    expect(exitCode).toBe(3)
  })

  test('lists the workspaces and personas that exist', async () => {
    const workspace = await skein('spawn', '--workspace', 'shoop', 'Work.')
    expect(workspace.stderr).toContain('Available: default, shop.')
    expect(workspace.stderr).toContain('Did you mean shop?')
    const persona = await skein('spawn', '--persona', 'revewer', 'Work.')
    expect(persona.stderr).toMatch(/Available: .*reviewer/)
    expect((await skein('get', 'persona', 'revewer')).stderr).toContain('Did you mean reviewer?')
  })

  test('shows every field that is wrong', async () => {
    const file = join(folder, 'link.yaml')
    await writeFile(file, 'kind: share-link\nname: link\n')
    const { stderr } = await skein('apply', '-f', file)
    expect(stderr).toContain('workspace')
    expect(stderr).toContain('agent')
    expect(stderr).toContain('account')
    expect(stderr).not.toContain('more)')
  })

  test('names the server that does not answer', async () => {
    const { stderr, exitCode } = await runCommand(['whoami'], { ...env, SKEIN_URL: 'http://127.0.0.1:9' })
    expect(stderr).toContain('The server at http://127.0.0.1:9 did not respond')
    expect(stderr).not.toContain('skein whoami')
    expect(exitCode).toBe(7)
  })

  test('names the variable of an invalid URL', async () => {
    const { stderr, exitCode } = await runCommand(['ps'], { ...env, SKEIN_URL: 'foo' })
    expect(stderr).toContain('SKEIN_URL')
    expect(exitCode).toBe(2)
  })

  test('of the command line itself is JSON if requested', async () => {
    const { stderr, stdout, exitCode } = await skein('--json', 'spwan')
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('spwan') as string },
    })
    expect(stdout).toBe('')
    expect(exitCode).toBe(2)
  })
})

describe('apply --dry-run', () => {
  test('finds references that nothing has, and none that the files bring along', async () => {
    const file = join(folder, 'workspace.yaml')
    await writeFile(
      file,
      'kind: workspace\nname: lab\npersona: nobody\npool: fresh\n---\nkind: pool\nname: fresh\n',
    )
    const { stderr, exitCode } = await skein('apply', '-f', file, '--dry-run')
    expect(stderr).toContain('workspace/lab: persona: persona nobody not found')
    expect(stderr).not.toContain('fresh')
    expect(exitCode).toBe(2)
  })
})

describe('tasks', () => {
  test('are named by number or subject, and inactive ones are marked', async () => {
    await running('listed', {
      tasks: [
        { subject: 'Run the tests' },
        { subject: 'Write the docs', activation: { filesModified: { pattern: 'docs/**' } } },
        { subject: 'Ask for a review' },
      ],
    })
    const shown = (await skein('tasks', 'shop/listed')).stdout
    expect(shown).toContain(' 1 ☐ Run the tests')
    expect(shown).toContain(' 2 ◌ Write the docs (inactive until docs/** is pushed)')
    expect(shown).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/)
    expect((await skein('tasks', 'shop/listed', '--done', '1')).stdout).toContain(' 1 ☑ Run the tests')
    expect((await skein('tasks', 'shop/listed', '--start', 'a REVIEW')).stdout).toContain(' 3 ◐ Ask for')
    const { stderr, exitCode } = await skein('tasks', 'shop/listed', '--done', 'the')
    expect(stderr).toContain('Several tasks match "the"')
    expect(stderr).toContain('2 Write the docs')
    expect(exitCode).toBe(2)
  })
})

describe('logs', () => {
  test('say that the agent was killed, and by whom', async () => {
    await running('killed')
    await skein('kill', 'shop/killed', '--yes')
    const { stdout } = await skein('logs', 'shop/killed')
    expect(stdout).toMatch(/✘ agent killed by \S+/)
    expect((await skein('ps', '--all')).stdout).toMatch(/shop\/killed +killed/)
  })

  test('say why a run failed', async () => {
    const run = await running('broken')
    const error = { code: 'auth', message: 'The key is refused.', isRetryable: false }
    await complete(run, { reason: 'failed', error })
    const { stdout } = await skein('logs', 'shop/broken')
    expect(stdout).toMatch(/run 1 failed: auth: The key is refused\.\n.*✘ agent failed/)
  })

  test('a stopped run is not called killed', async () => {
    const run = await running('stopped')
    await skein('stop', 'shop/stopped', '--now')
    await complete(run, { reason: 'killed' })
    const { stdout } = await skein('logs', 'shop/stopped')
    expect(stdout).toContain('run 1 stopped')
    expect(stdout).not.toContain('killed')
  })

  test('name tasks and messages by what they say', async () => {
    const run = await running('told', {
      tasks: [{ subject: 'Write the docs', activation: { filesModified: { pattern: 'docs/**' } } }],
    })
    const push = { type: 'run.pushed', repo: 'r', ref: 'refs/heads/x', commit: 'a'.repeat(40) }
    await report(run, { ...push, files: ['docs/a.md'] })
    await skein('send', 'shop/told', '--id', 'one', 'Forget this.')
    await skein('queue', 'rm', 'shop/told', 'one')
    await skein('send', 'shop/told', '--steer', '--id', 'two', 'Look left.')
    await report(run, { type: 'run.steered', followUpId: 'two' })
    const { stdout } = await skein('logs', 'shop/told')
    expect(stdout).toContain('☐ Write the docs (now active)')
    expect(stdout).toMatch(/✗ message removed by \S+: Forget this\./)
    expect(stdout).toContain('↪ steered: Look left.')
  })

  test('show a tool once it has ended, and whether it failed', async () => {
    const run = await running('tooled')
    const call = { callId: '1', tool: 'Bash', input: '{"command":"make"}' }
    await report(run, { type: 'run.tool-started', ...call })
    expect((await skein('logs', 'shop/tooled')).stdout).not.toContain('make')
    await report(run, { type: 'run.tool-called', ...call, output: 'Error: 0', failed: false })
    await report(run, { type: 'run.tool-called', ...call, output: 'No rule.', failed: true })
    // Said by the runner, and no call although it looks like one.
    await report(run, { type: 'run.progressed', message: 'Retry: {"in":"5 s"}' })
    const task = { callId: '2', tool: 'mcp__skein__create_task', input: '{}' }
    await report(run, { type: 'run.tool-called', ...task, output: 'Error is a subject.', failed: false })
    await report(run, { type: 'run.tool-called', ...task, output: 'Too many.', failed: true })
    const { stdout } = await skein('logs', 'shop/tooled')
    expect(stdout).toContain('⚙ Bash make → Error: 0')
    expect(stdout).toContain('⚙ Bash make ✗ No rule.')
    expect(stdout).toContain('… Retry: {"in":"5 s"}')
    expect(stdout).not.toContain('Error is a subject.')
    expect(stdout).toMatch(/⚙ skein create_task .*✗ Too many\./)
  })
})

describe('send --follow', () => {
  test('shows what the message leads to, and nothing of what was before', async () => {
    const first = await running('answering')
    await report(first, { type: 'run.message', text: 'Long ago.' })
    await complete(first, { reason: 'rested' })
    const sending = skein('send', 'shop/answering', '--follow', 'Go on.')
    const second = await nextRun('answering')
    await report(second, { type: 'run.message', text: 'On it.' })
    await complete(second, { reason: 'asked', needsInput: 'Which one?' })
    const { stdout, exitCode } = await sending
    expect(stdout).toMatch(/→ Go on\.[^]*On it\.[^]*\? Which one\?/)
    expect(stdout).not.toContain('Long ago.')
    expect(exitCode).toBe(0)
    expect((await skein('ps')).stdout).toMatch(/^shop\/answering +asking .*Which one\?$/m)
  })

  test('is not for a message that is for later', async () => {
    await running('later')
    const { stderr, exitCode } = await skein('send', 'shop/later', '--follow', '--in', '1h', 'Go on.')
    expect(stderr).toContain('Leave out --at and --in.')
    expect(exitCode).toBe(2)
  })
})

describe('commands of every day', () => {
  test('ps says when the next message comes to an agent that is idle', async () => {
    await complete(await running('sleepy'), { reason: 'rested' })
    await skein('send', 'shop/sleepy', '--in', '20d', 'Wake up.')
    expect((await skein('ps')).stdout).toMatch(/^shop\/sleepy +waiting .* next message in (20d|19d23h)$/m)
  })

  test('status names the branch that was pushed', async () => {
    const run = await running('branched')
    const commit = 'a'.repeat(40)
    await report(run, { type: 'run.pushed', repo: 'r', ref: 'refs/heads/skein/branched', commit, files: [] })
    expect((await skein('status', 'shop/branched')).stdout).toContain(
      'branch     skein/branched at aaaaaaaaaa',
    )
  })

  test('restart begins an ended agent again with what it was given', async () => {
    const run = await running('again', {
      description: 'Do it well.',
      labels: { team: 'a' },
      maxCost: 3,
      agent: 'reviewer',
      tasks: [{ id: 't', subject: 'First' }],
    })
    const refused = await skein('restart', 'shop/again')
    expect(refused.stderr).toContain('shop/again has not ended: it is running.')
    await complete(run, { reason: 'failed', error: { code: 'broken', message: 'No.', isRetryable: false } })
    expect((await skein('restart', 'shop/again')).stdout).toBe('shop/again\n')
    expect(await json('status', 'shop/again')).toMatchObject({
      phase: 'PHASE_PENDING',
      description: 'Do it well.',
      labels: { team: 'a' },
      maxCost: 3,
      persona: 'reviewer',
      tasks: [{ subject: 'First', status: 'TASK_STATUS_PENDING' }],
    })
  })

  test('share prints a link that shows the agent without an account', async () => {
    await running('shown')
    const { url, name } = await json('share', 'shop/shown', '--expires-in', '1h')
    const key = new URL(String(url)).hash.slice(1)
    const { status, body } = await tenant.client(key).get('/v1/share')
    expect(status).toBe(200)
    expect(body).toMatchObject({ agentId: { agent: ['shown'] } })
    expect((await skein('get', 'share-link')).stdout).toContain(String(name))
  })

  test('token ls says which keys work, and shows none', async () => {
    await skein('token', 'create', 'ci', '--role', 'viewer', '--expires-in', '1h')
    await skein('token', 'revoke', 'ci')
    const { stdout } = await skein('token', 'ls')
    expect(stdout).toMatch(/^ci +viewer +\S+ +revoked +\d{4}-/m)
    expect(stdout).toMatch(/^runner +runner +runner +works +never/m)
    expect(stdout).not.toContain('skn_')
  })

  test('runners shows what each one serves, and backends by the names of their programs', async () => {
    const offers = {
      name: 'host-1',
      build: '1.2.3',
      sandboxes: [],
      capacity: 4,
      backends: [{ name: 'a' }, { name: 'b', problem: 'No key.' }],
    }
    const { status } = await runner.post('/v1/runner/poll', { capacity: 1, offers })
    expect(status).toBe(200)
    const { stdout } = await skein('runners')
    expect(stdout).toMatch(/^host-1 +online +default +claude +- +4 +\d+s ago +1\.2\.3$/m)
    expect(stdout).toMatch(/^POOL +RUNNING +QUEUED +DELAYED +LONGEST WAIT\ndefault +\d+ +\d+ +0 /m)
  })

  test('open prints the address and starts the browser that was chosen', async () => {
    await running('seen')
    const opened = join(folder, 'opened')
    const browser = join(folder, 'browser')
    await writeFile(browser, `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 })
    const { stdout } = await runCommand(['open', 'shop/seen'], { ...env, BROWSER: browser })
    expect(stdout).toMatch(/\/agents\/.*\/shop\/seen\n$/)
    await waitFor(async () => (await readFile(opened, 'utf8').catch(() => '')) === stdout, {
      what: 'the browser',
    })
    expect((await skein('open', '--print')).stdout).toBe(`${env['SKEIN_URL']}\n`)
  })

  test('diff --fetch shows what was pushed, with the caller’s own git', async () => {
    const { repo, commit } = makeRepository()
    const run = await running('pushed')
    expect((await skein('diff', '--fetch', 'shop/pushed')).stderr).toContain(
      'shop/pushed has not pushed anything.',
    )
    const ref = 'refs/heads/skein/pushed'
    await report(run, { type: 'run.pushed', repo, ref, commit, files: ['greet.js'] })
    const { stdout } = await skein('diff', '--fetch', 'shop/pushed')
    expect(stdout).toContain('-hello')
    expect(stdout).toContain('+good morning')
    expect((await skein('diff', '--fetch', '--stat', 'shop/pushed')).stdout).toContain('greet.js | 2 +-')
  })

  test('diff shows what the runner recorded, without git', async () => {
    const run = await running('recorded')
    expect((await skein('diff', 'shop/recorded')).stderr).toContain('shop/recorded has not pushed anything.')
    const commit = 'c'.repeat(40)
    const repo = 'https://git.example.com/acme/shop.git'
    await report(run, {
      type: 'run.pushed',
      repo,
      ref: 'refs/heads/skein/recorded',
      commit,
      files: ['a.txt'],
    })
    expect((await skein('diff', 'shop/recorded')).stderr).toContain('--fetch')
    const file = { oldPath: '', change: 'modified', kind: 'text', added: 1, removed: 1, isOmitted: false }
    const files = [
      { ...file, path: 'a.txt', patch: '@@ -1 +1 @@\n-hello\n+good \u001b[31mmorning\n' },
      { ...file, path: 'e\u001b[2Jvil\nname', patch: '', isOmitted: true },
      { ...file, path: 'logo.png', kind: 'binary', change: 'added', added: 0, removed: 0, patch: '' },
    ]
    const facts = { repo, branch: 'skein/recorded', baseBranch: 'main', fileCount: 4, added: 2, removed: 2 }
    const bases = [
      { scope: 'branch', baseCommit: 'b'.repeat(40) },
      { scope: 'push', baseCommit: 'd'.repeat(40) },
    ]
    for (const base of bases) {
      const body = { lease: run.lease, ...facts, commit, ...base, files }
      expect((await runner.post('/v1/runner/diff', body)).status).toBe(200)
    }
    const { stdout, stderr } = await skein('diff', 'shop/recorded')
    expect(stdout).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-hello\n+good morning\n')
    expect(stdout).toContain('"b/evil\\nname"')
    expect(stdout).toContain('Binary file')
    expect(stdout).not.toContain('\u001b')
    expect(stderr).toContain('1 more file is not listed')
    expect(stderr).toContain('too large')
    const { stdout: stat } = await skein('diff', '--stat', 'shop/recorded')
    expect(stat).toContain('a.txt')
    expect(stat).toContain('4 files changed, 2 lines added, 2 removed')
    const { stdout: one } = await skein('diff', '--file', 'logo.png', 'shop/recorded')
    expect(one).not.toContain('a.txt')
    expect((await skein('diff', '--file', 'none', 'shop/recorded')).exitCode).toBe(2)
    expect((await skein('diff', '--push', 'ccccccc', 'shop/recorded')).stdout).toContain('-hello')
    expect((await skein('diff', '--push', 'eeeeeee', 'shop/recorded')).stderr).toContain('ccccccc')
  })

  test('diff says which repository cannot be reached', async () => {
    const run = await running('away')
    const repo = join(folder, 'nowhere.git')
    const pushed = { type: 'run.pushed', repo, ref: 'refs/heads/x', commit: 'b'.repeat(40), files: [] }
    await report(run, pushed)
    const { stderr, exitCode } = await skein('diff', '--fetch', 'shop/away')
    expect(stderr).toContain(`from ${repo}`)
    expect(exitCode).toBe(2)
  })

  test('diff starts no program that an address names', async () => {
    const run = await running('evil')
    const repo = `ext::sh -c touch% ${join(folder, 'owned')}`
    await report(run, { type: 'run.pushed', repo, ref: 'refs/heads/x', commit: 'b'.repeat(40), files: [] })
    expect((await skein('diff', '--fetch', 'shop/evil')).stderr).toContain("transport 'ext' not allowed")
    await expect(readFile(join(folder, 'owned'))).rejects.toThrow('ENOENT')
  })
})

const offered = async (...typed: string[]): Promise<string[]> =>
  (await skein('complete', '--', ...typed)).stdout.split('\n').filter(Boolean)

describe('completion', () => {
  test('offers commands and options', async () => {
    expect(await offered('st')).toEqual(['status', 'stop'])
    expect(await offered('queue', '')).toContain('clear')
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(await offered('spawn', '--work')).toEqual(['--workspace'])
  })

  test('offers names of agents, workspaces, personas, kinds and resources', async () => {
    await running('completed-name')
    expect(await offered('status', 'shop/completed')).toEqual(['shop/completed-name'])
    expect(await offered('wait', 'shop/other', 'shop/completed')).toEqual(['shop/completed-name'])
    expect(await offered('spawn', '--workspace', '')).toContain('shop')
    expect(await offered('spawn', '--persona', 'rev')).toEqual(['reviewer'])
    expect(await offered('get', 'person')).toEqual(['persona'])
    expect(await offered('delete', 'persona', 'rev')).toEqual(['reviewer'])
  })

  test('is silent where no server answers', async () => {
    const away = { ...env, SKEIN_URL: 'http://127.0.0.1:9' }
    const run = await runCommand(['complete', '--', 'status', ''], away)
    expect(run).toEqual({ stdout: '', stderr: '', exitCode: 0 })
  })
})

test('every refusal of the service has a hint that fits a command line', () => {
  const unfit = Object.keys(REASONS).filter((reason) =>
    /GET |POST |header|request again/.test(nextStepOf(reason)),
  )
  expect(unfit).toEqual([])
  const spoken = Object.entries(REASONS).filter(([, { remedy }]) =>
    /\b(GET|POST)\b|header|Idempotency|\bMend\b/.test(remedy),
  )
  expect(spoken.filter(([reason]) => nextStepOf(reason) === '')).toEqual([])
})

test('an old Node gets a one-line error', async () => {
  for (const [name, program] of [
    ['cli', 'skein'],
    ['server', 'skein-server'],
    ['runner', 'skein-runner'],
  ]) {
    const shim = new URL(`../../${name}/bin/${program}.mjs`, import.meta.url).href
    const asOld = `Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } }); import('${shim}')`
    const { stderr } = await promisify(execFile)(process.execPath, [
      '-e',
      `${asOld}.then(() => (process.exitCode = 0))`,
    ])
    expect(stderr).toBe(
      `${program} needs Node 24 or newer; this is Node 20.19.0. Install it from https://nodejs.org\n`,
    )
  }
})

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()

function makeRepository(): { repo: string; commit: string } {
  const repo = join(folder, 'shop.git')
  const clone = join(folder, 'clone')
  git(folder, 'init', '--bare', '--initial-branch=main', repo)
  git(folder, 'clone', repo, clone)
  git(clone, 'checkout', '-b', 'main')
  execFileSync('sh', ['-c', 'echo hello > greet.js'], { cwd: clone })
  git(clone, 'add', '.')
  git(clone, 'commit', '-m', 'first')
  git(clone, 'push', 'origin', 'main')
  git(clone, 'checkout', '-b', 'skein/pushed')
  execFileSync('sh', ['-c', 'echo good morning > greet.js'], { cwd: clone })
  git(clone, 'commit', '-am', 'second')
  git(clone, 'push', 'origin', 'skein/pushed')
  return { repo, commit: git(clone, 'rev-parse', 'HEAD') }
}
