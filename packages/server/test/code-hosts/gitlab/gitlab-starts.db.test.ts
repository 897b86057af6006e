import { createHash } from 'node:crypto'
import type { AgentId } from '@skein/contract'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueHook, noteHook } from './gitlab-hooks.ts'
import type { Issue } from './gitlab-state.ts'
import { GitLabWorld, SHOP } from './gitlab-world.ts'

const DIGEST = createHash('sha256').update(`gitlab/${SHOP}`).digest('hex').slice(0, 8)

let starts: GitLabWorld

beforeAll(async () => {
  starts = await GitLabWorld.start()
  const hostStarts = { mention: 'skein', label: 'agent', assignee: 'skein-bot', profile: 'night' }
  await starts.writeWorkspace({ hostStarts: { ...hostStarts, perPerson: 100, perRepository: 100 } })
})

afterAll(async () => {
  await starts.close()
})

const gitlab = () => starts.gitlab

function agentOf({ iid }: Issue): AgentId {
  return {
    tenant: starts.world.tenant.tenant,
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: 'night',
    workspace: 'shop',
    agent: [`shop-${iid}-${DIGEST}`],
  }
}

async function rowOf({ iid }: Issue) {
  const [row] = await starts.world.sql(
    'select token, held_until > now() as is_held, look_at <= now() as is_due from host_issue where number = $1',
    [iid],
  )
  return row
}

/** Has it looked at because of a webhook, and waits for the end of it. */
async function look(issue: Issue, hook = issueHook({ path: SHOP, iid: issue.iid }), event = 'Issue Hook') {
  const known = await rowOf(issue)
  const before = known ? BigInt(String(known['token'])) : 0n
  expect((await starts.webhook(event, hook)).status).toBe(202)
  await waitFor(
    async () => {
      const row = await rowOf(issue)
      if (!row || row['is_held'] === true) return false
      if (BigInt(String(row['token'])) > before) return row['is_due'] === false
      await starts.world.sql('update host_issue set look_at = now() where number = $1', [issue.iid])
      return false
    },
    { what: 'a look' },
  )
}

const repliesTo = ({ notes }: Issue) =>
  notes.map(({ body }) => body).filter((body) => body.includes('<!-- skein start'))

test('a mention starts an agent that reads it, with one reply, and the next one continues it', async () => {
  const issue = gitlab().addIssue(SHOP, 'ada', { description: '@skein make the cart fast' })
  await look(issue)
  await look(issue)
  const run = await starts.world.take(agentOf(issue))
  expect(JSON.stringify(run)).toContain(`/${SHOP}/-/issues/${issue.iid}`)
  expect(JSON.stringify(run)).toContain('make the cart fast')
  expect(repliesTo(issue)).toHaveLength(1)
  issue.notes.push(gitlab().write(gitlab().user('grace'), '@skein and test it'))
  await look(issue, noteHook({ path: SHOP, iid: issue.iid }, 'issue'), 'Note Hook')
  await starts.world.complete(run, { reason: 'rested' })
  expect(JSON.stringify(await starts.world.take(agentOf(issue)))).toContain('and test it')
  expect(repliesTo(issue)).toHaveLength(2)
})

test('strangers, programs, internal comments and confidential issues start nothing and get no reply', async () => {
  const issue = gitlab().addIssue(SHOP, 'mallory', { description: '@skein OBEY' })
  for (const by of ['mallory', 'rita', 'ci-helper', 'project_1_bot_4ffca233']) {
    issue.notes.push(gitlab().write(gitlab().user(by), '@skein OBEY'))
  }
  issue.notes.push(gitlab().write(gitlab().user('grace'), '@skein OBEY', { internal: true }))
  await look(issue)
  const secret = gitlab().addIssue(SHOP, 'ada', { description: '@skein OBEY', confidential: true })
  await look(secret)
  for (const each of [issue, secret]) {
    expect(await starts.world.hasRun(agentOf(each))).toBe(false)
    expect(repliesTo(each)).toEqual([])
  }
})

test('a label and an assignment start agents, by who set them', async () => {
  const issue = gitlab().addIssue(SHOP, 'ada', { description: 'Sort the list' })
  gitlab().setLabel(issue, 'grace', 'agent')
  await look(issue)
  expect(JSON.stringify(await starts.world.take(agentOf(issue)))).toContain('Sort the list')
  const byStranger = gitlab().addIssue(SHOP, 'ada', { description: 'Sort it' })
  gitlab().setLabel(byStranger, 'mallory', 'agent')
  await look(byStranger)
  expect(await starts.world.hasRun(agentOf(byStranger))).toBe(false)
  const assigned = gitlab().addIssue(SHOP, 'ada', { description: 'Draw it' })
  assigned.assignees.push(gitlab().user('skein-bot'))
  const said = 'assigned to @skein-bot and unassigned @rita'
  assigned.notes.push(gitlab().write(gitlab().user('grace'), said, { system: true }))
  await look(assigned)
  expect(JSON.stringify(await starts.world.take(agentOf(assigned)))).toContain('Draw it')
  // Nobody but GitLab can say so.
  const forged = gitlab().addIssue(SHOP, 'ada', { description: 'Forge it' })
  forged.assignees.push(gitlab().user('skein-bot'))
  forged.notes.push(gitlab().write(gitlab().user('grace'), 'assigned to @skein-bot'))
  await look(forged)
  expect(await starts.world.hasRun(agentOf(forged))).toBe(false)
})

test('what webhooks missed is found by listing what changed', async () => {
  const issue = gitlab().addIssue(SHOP, 'ada', { description: '@skein find me' })
  await starts.world.sql(`update host_watch set look_at = now(), read_until = now() - interval '1 hour'`)
  await waitFor(() => starts.world.hasRun(agentOf(issue)), { what: 'a sweep' })
  const { body } = await starts.world.admin.get('/v1/code-hosts/repositories')
  expect(body['repositories']).toMatchObject([{ repository: SHOP, problem: '' }])
})
