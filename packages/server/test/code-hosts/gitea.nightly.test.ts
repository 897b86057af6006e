import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Assignment } from '@skein/contract'
import type { TestAnswer } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAutomations } from '../../src/automations/start-automations.ts'
import { AgentWorld, must } from '../agents/agent-world.ts'
import { GITEA_DIR, startGitea, type Gitea } from './gitea-process.ts'

const execute = promisify(execFile)

/** A real Gitea, if e2e/gitea/get-gitea.sh has built one into SKEIN_GITEA_DIR. */
describe.skipIf(GITEA_DIR === undefined)('on a real Gitea', () => {
  let world: AgentWorld
  let gitea: Gitea
  let stop: () => Promise<void>
  let repoUrl = ''

  beforeAll(async () => {
    gitea = await startGitea(GITEA_DIR ?? '')
    repoUrl = `${gitea.url}/acme/shop.git`
    await gitea.send('POST', '/orgs', { username: 'acme' })
    const repo = { name: 'shop', auto_init: true, default_branch: 'main', private: true }
    await gitea.send('POST', '/orgs/acme/repos', repo)
    world = await AgentWorld.start({ settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' } })
    stop = startAutomations(world.server.engine, world.server.config, world.server.app.log)
    must(await world.admin.write('secret', 'bot-token', { value: gitea.token }))
    const host = { type: 'gitea', url: gitea.url, credential: 'bot-token' }
    must(await world.admin.write('code-host', 'gitea', host))
    must(await world.admin.write('workspace', 'shop', { repos: [{ url: repoUrl, codeHost: 'gitea' }] }))
  })

  afterAll(async () => {
    await stop()
    await world.close()
    await gitea.close()
  })

  async function atWork(name: string): Promise<{ run: Assignment; head: string }> {
    const head = `skein/${name}`
    await commitOn(head)
    return { run: (await world.running(name, { agentId: { workspace: 'shop' } })).run, head }
  }

  async function commitOn(branch: string): Promise<void> {
    await gitea.send('POST', `/repos/acme/shop/contents/${branch.replace('/', '-')}.txt`, {
      new_branch: branch,
      message: 'work',
      content: Buffer.from(branch).toString('base64'),
    })
  }

  function open({ run, head }: { run: Assignment; head: string }, fields: object = {}): Promise<TestAnswer> {
    const request = { lease: run.lease, url: repoUrl, title: 'Fix it', body: 'Because.', head, base: 'main' }
    return world.runner.post('/v1/runner/pull-request', { ...request, ...fields })
  }

  async function pullsOf(head: string): Promise<{ number: number; base: { ref: string }; draft: boolean }[]> {
    const all = (await gitea.send('GET', '/repos/acme/shop/pulls?state=all&limit=50')) as {
      number: number
      draft: boolean
      base: { ref: string }
      head: { ref: string }
    }[]
    return all.filter((pull) => pull.head.ref === head)
  }

  test('git signs in with the credential of a run', async () => {
    const { run } = await atWork('clones')
    const { url = '', access = '' } = run.repos[0] ?? {}
    const { credential } = must(await world.runner.post('/v1/runner/repo-credential', { access, url })).body
    const header = `Authorization: Basic ${Buffer.from(String(credential)).toString('base64')}`
    const { stdout } = await execute('git', [
      '-c',
      `http.extraHeader=${header}`,
      'ls-remote',
      repoUrl,
      'main',
    ])
    expect(stdout).toMatch(/^[0-9a-f]{40}\trefs\/heads\/main$/m)
  })

  test('however often it is opened, there is one, and it can become one for another branch', async () => {
    const agent = await atWork('opens')
    const answers = await Promise.all([open(agent), open(agent), open(agent)])
    expect(new Set(answers.map((answer) => must(answer).body['number'])).size).toBe(1)
    expect(await pullsOf(agent.head)).toMatchObject([{ base: { ref: 'main' } }])
    await commitOn('skein/parent')
    for (let time = 0; time < 2; time += 1) {
      const { body } = must(await open(agent, { base: 'skein/parent' }))
      expect(body).toMatchObject({ number: answers[0]?.body['number'], base: 'skein/parent' })
    }
    expect(await pullsOf(agent.head)).toMatchObject([{ base: { ref: 'skein/parent' } }])
  })

  test('a draft is one there too, and its URL is the one that people use', async () => {
    const agent = await atWork('drafts')
    const { body } = must(await open(agent, { draft: true }))
    expect(body).toMatchObject({ draft: true, title: 'WIP: Fix it' })
    const read = await gitea.send('GET', `/repos/acme/shop/pulls/${String(body['number'])}`)
    expect(read).toMatchObject({ html_url: body['url'] })
  })

  test('a draft becomes ready with its new title, labels are added, and a review is requested', async () => {
    await gitea.createUser('grace')
    await gitea.send('PUT', '/repos/acme/shop/collaborators/grace', { permission: 'write' })
    await gitea.send('POST', '/repos/acme/shop/labels', { name: 'bug', color: '#ff0000' })
    const agent = await atWork('readies')
    const first = must(await open(agent, { draft: true })).body
    const asked = { title: 'Fixed', labels: ['bug', 'unknown'], reviewers: ['grace'] }
    for (let time = 0; time < 2; time += 1) {
      expect(must(await open(agent, asked)).body).toMatchObject({
        number: first['number'],
        title: 'Fixed',
        draft: false,
        problems: ['The repository has no label unknown.'],
      })
    }
    const read = await gitea.send('GET', `/repos/acme/shop/pulls/${String(first['number'])}`)
    expect(read).toMatchObject({
      title: 'Fixed',
      draft: false,
      labels: [{ name: 'bug' }],
      requested_reviewers: [{ login: 'grace' }],
    })
  })

  test('a branch that was never pushed is refused', async () => {
    const agent = await atWork('unpushed')
    const refused = await open({ ...agent, head: 'skein/nowhere' })
    expect(refused).toMatchObject({ status: 400, reason: 'CODE_HOST_REFUSED' })
  })
})
