import { waitFor, Random } from '@skein/testkit'
import { setTimeout as pause } from 'node:timers/promises'
import { Kills, killUntil } from '../automations/havoc.ts'
import { install, writeResource, type Installation } from '../automations/installation.ts'
import { query } from '../automations/query.ts'
import { checkProcesses } from '../crash/checks/refusals.ts'
import { Report, type Fault } from '../crash/report.ts'
import { Api, noCalls } from '../crash/workload/api.ts'
import { APP_ID } from '../../packages/server/test/code-hosts/github-emulator.ts'
import { checkReviews } from './check-reviews.ts'
import { GitHubFront } from './github-front.ts'
import type { Options } from './options.ts'
import { ReviewRunner } from './review-runner.ts'
import { Reviewers, WEBHOOK_KEY, type Round } from './reviewers.ts'

const GIT = 'http://git.example.com'
const REPO = `${GIT}/acme/shop.git`
const WORKSPACE = 'reviewed'
/** Between two kills: a look takes a second or two, with many requests to the host. */
const WORK_MS = 6_000

export interface Result extends Record<Fault, number> {
  readonly seconds: number
  readonly rounds: number
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
  const reviewing = Promise.all(
    [...runner.opened.values()].map(async (pull) => {
      const rounds: Round[] = []
      while (rounds.length < options.rounds && (rounds.at(-1)?.isAnswered ?? true)) {
        rounds.push(await reviewers.review(pull))
      }
      return rounds
    }),
  ).finally(() => (isOver = true))
  const kills = new Kills()
  await killUntil(installation, random, { kills, isEnough: () => isOver, workMs: WORK_MS })
  const rounds = (await reviewing).flat()
  ended.abort()
  await releasing
  await runner.stop()
  const report = new Report()
  await checkReviews(report, { rounds, reviewers, runner, postgres: installation.postgres })
  checkProcesses(report, installation.servers)
  return {
    seconds: Math.round((performance.now() - startedAt) / 1000),
    rounds: rounds.length,
    killedServers: kills.servers,
    killedDatabases: kills.databases,
    lostAnswers: front.lostAnswers,
    ...report.faults,
    report,
  }
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
  const token = { account: 'reviewed', role: 'runner', pools: [WORKSPACE] }
  const { key } = await writeResource(api, 'token', 'reviewed', token)
  return new ReviewRunner(new Api(urls, String(key), random, noCalls()), REPO)
}
