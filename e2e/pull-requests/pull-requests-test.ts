import { waitFor, Random } from '@skein/testkit'
import { setTimeout as pause } from 'node:timers/promises'
import { Kills, killUntil } from '../automations/havoc.ts'
import { install, writeResource, type Installation } from '../automations/installation.ts'
import { query } from '../automations/query.ts'
import { checkProcesses } from '../crash/checks/refusals.ts'
import { Report, type Fault } from '../crash/report.ts'
import { Api, noCalls } from '../crash/workload/api.ts'
import { APP_ID } from '../../packages/server/test/code-hosts/github-emulator.ts'
import { Askers, DESK, type Asked } from './askers.ts'
import { checkReviews } from './check-reviews.ts'
import { checkStarts } from './check-starts.ts'
import { GitHubFront } from './github-front.ts'
import type { Options } from './options.ts'
import { ReviewRunner } from './review-runner.ts'
import { Reviewers, type Round } from './reviewers.ts'
import { WEBHOOK_KEY } from './send-webhook.ts'

const GIT = 'http://git.example.com'
const REPO = `${GIT}/acme/shop.git`
const WORKSPACE = 'reviewed'
const STARTED = 'started'
/** People ask one after the other, a few at a time: a person may ask a hundred times in an hour. */
const ASKERS = 6
/** Between two kills: a look takes a second or two, with many requests to the host. */
const WORK_MS = 6_000

export interface Result extends Record<Fault, number> {
  readonly seconds: number
  readonly rounds: number
  readonly starts: number
  readonly killedServers: number
  readonly killedDatabases: number
  readonly lostAnswers: number
  readonly report: Report
}

/** Runs the servers of the source tree at `root`. */
export async function pullRequestsTest(root: string, options: Options): Promise<Result> {
  const random = new Random(options.seed)
  const front = await GitHubFront.start(random)
  try {
    const installation = await install(root, random)
    try {
      return await drive(installation, front, random, options)
    } finally {
      await installation.stop()
    }
  } finally {
    await front.close()
  }
}

async function drive(
  installation: Installation,
  front: GitHubFront,
  random: Random,
  options: Options,
): Promise<Result> {
  const startedAt = performance.now()
  const runner = await setUp(installation, front, random)
  runner.start()
  const reviewers = new Reviewers(front, installation.urls, random)
  const agents = Array.from({ length: options.pulls }, (_, index) => `agent-${index}`)
  for (const agent of agents) {
    await front.emulator.createBranch('shop', `skein/${agent}`)
    const agentId = { workspace: WORKSPACE, agent: [agent] }
    const { status, body } = await installation.api.insist('/v1/agent/spawn', {
      agentId,
      description: 'Work.',
    })
    if (status !== 200) throw new Error(`${agent} was refused: ${JSON.stringify(body)}`)
  }
  await waitFor(async () => runner.opened.size === agents.length, {
    what: 'pull requests',
    timeoutMs: 120_000,
  })
  const ended = new AbortController()
  const releasing = releaseKilled(installation, ended.signal)
  let isOver = false
  const askers = new Askers(front, installation.urls, random)
  await askers.prepare()
  const asking = askAll(askers, options.starts)
  const reviewing = Promise.all(
    [...runner.opened.values()].map(async (pull) => {
      const rounds: Round[] = []
      while (rounds.length < options.rounds && (rounds.at(-1)?.isAnswered ?? true)) {
        rounds.push(await reviewers.review(pull))
      }
      return rounds
    }),
  )
  const working = Promise.all([reviewing, asking]).finally(() => (isOver = true))
  const kills = new Kills()
  await killUntil(installation, random, { kills, isEnough: () => isOver, workMs: WORK_MS })
  const [reviewed, asked] = await working
  const rounds = reviewed.flat()
  ended.abort()
  await releasing
  await runner.stop()
  const report = new Report()
  await checkReviews(report, { rounds, reviewers, runner, postgres: installation.postgres })
  await checkStarts(report, { asked, askers, workspace: STARTED, postgres: installation.postgres })
  report.check('wrong', 'GitHub describes every request', front.requests, [...front.described.problems])
  checkProcesses(report, installation.servers)
  return {
    seconds: Math.round((performance.now() - startedAt) / 1000),
    rounds: rounds.length,
    starts: asked.length,
    killedServers: kills.servers,
    killedDatabases: kills.databases,
    lostAnswers: front.lostAnswers,
    ...report.faults,
    report,
  }
}

async function askAll(askers: Askers, amount: number): Promise<Asked[]> {
  const asked: Asked[] = []
  let left = amount
  const ask = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      asked.push(await askers.ask())
    }
  }
  await Promise.all(Array.from({ length: ASKERS }, ask))
  return asked
}

/** Saves two minutes of waiting for a killed holder. A live one has renewed its hold, or is fenced off. */
async function releaseKilled({ postgres }: Installation, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(2_000)
    await query(
      postgres,
      `update pull_request set held_until = '-infinity', look_at = now()
       where held_until > now() and held_until < now() + interval '95 seconds'`,
    ).catch(() => undefined)
    await query(
      postgres,
      `update host_issue set held_until = '-infinity', look_at = now()
       where held_until > now() and held_until < now() + interval '95 seconds'
         or held_until < now() and look_at < 'infinity' and (state ->> 'failures')::int > 0`,
    ).catch(() => undefined)
  }
}

async function setUp({ api, urls }: Installation, front: GitHubFront, random: Random): Promise<ReviewRunner> {
  await writeResource(api, 'secret', 'app-key', { value: front.emulator.privateKey })
  await writeResource(api, 'secret', 'webhooks', { value: WEBHOOK_KEY })
  await writeResource(api, 'code-host', 'github', {
    type: 'github',
    url: GIT,
    apiUrl: front.url,
    appId: String(APP_ID),
    credential: 'app-key',
    webhookSecret: 'webhooks',
  })
  await writeResource(api, 'pool', WORKSPACE, { maxRuns: 1_000 })
  const repos = [{ url: REPO, codeHost: 'github' }]
  await writeResource(api, 'workspace', WORKSPACE, { pool: WORKSPACE, repos, reviewRounds: 50 })
  await writeResource(api, 'profile', 'night', {})
  await writeResource(api, 'workspace', STARTED, {
    pool: WORKSPACE,
    repos: [{ url: `${GIT}/acme/${DESK}.git`, codeHost: 'github' }],
    hostStarts: { mention: 'skein', label: 'agent', profile: 'night', perPerson: 100, perRepository: 100 },
  })
  const token = { account: 'reviewed', role: 'runner', pools: [WORKSPACE] }
  const { key } = await writeResource(api, 'token', 'reviewed', token)
  return new ReviewRunner(new Api(urls, String(key), random, noCalls()), {
    repoUrl: REPO,
    workspace: WORKSPACE,
  })
}
