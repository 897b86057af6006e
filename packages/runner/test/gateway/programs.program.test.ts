import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inlineScript, startSimulator, type Simulator, type SimulatorStep } from '@skein/simulator'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recordGrant, startGateway, type GatewayWorld } from './gateway-world.ts'

const resolve = createRequire(import.meta.url).resolve

interface Run {
  readonly output: string
  readonly durationMs: number
}

/** The bare programs, without what a backend adds: what counts here is how they take the gateway's answers. */
const programs = {
  async claude(directory: string, prompt: string): Promise<Run> {
    const packaged = resolve(
      `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/package.json`,
    )
    return run(join(dirname(packaged), 'claude'), ['-p', '--setting-sources', '', prompt], directory, {
      ANTHROPIC_BASE_URL: world.urls.anthropic,
      ANTHROPIC_API_KEY: 'agent-token',
      CLAUDE_CONFIG_DIR: directory,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
    })
  },
  async codex(directory: string, prompt: string): Promise<Run> {
    const home = join(directory, 'codex')
    await mkdir(home)
    await writeFile(join(home, 'config.toml'), codexConfig(world.urls.openai))
    const shim = join(dirname(resolve('@openai/codex/package.json')), 'bin', 'codex.js')
    const args = [shim, 'exec', '--json', '--skip-git-repo-check', '-s', 'read-only', prompt]
    return run(process.execPath, args, directory, { CODEX_HOME: home, GW_TOKEN: 'agent-token' })
  },
}

const codexConfig = (url: string): string => `
model = "gpt-5.5"
model_provider = "gw"
check_for_update_on_startup = false
web_search = "disabled"
[analytics]
enabled = false
[features]
plugins = false
apps = false
[model_providers.gw]
name = "gw"
base_url = "${url}"
env_key = "GW_TOKEN"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 2
`

function run(program: string, args: string[], directory: string, env: Record<string, string>): Promise<Run> {
  const startedAt = performance.now()
  const options = { cwd: directory, env: { PATH: '/usr/bin:/bin', HOME: directory, ...env }, timeout: 60_000 }
  return new Promise((done) => {
    const child = execFile(program, args, options, (_error, stdout, stderr) =>
      done({ output: stdout + stderr, durationMs: performance.now() - startedAt }),
    )
    child.stdin?.end()
  })
}

let simulator: Simulator
let world: GatewayWorld
let directory: string

beforeEach(async () => {
  simulator = await startSimulator()
  world = await startGateway(simulator.url)
  directory = await mkdtemp(join(tmpdir(), 'skein-program-'))
})
afterEach(async () => {
  await world.close()
  await simulator.close()
  await rm(directory, { recursive: true, force: true })
})

const play = (name: keyof typeof programs, steps: readonly SimulatorStep[]): Promise<Run> =>
  programs[name](directory, inlineScript(steps))

describe.each(['claude', 'codex'] as const)('the real %s', (name) => {
  test('works through the gateway, and each call of its turn is metered', async () => {
    const grant = recordGrant()
    world.gateway.open('agent-token', grant)
    const { output } = await play(name, [{ shell: 'echo hi' }, { say: 'All done.' }])
    expect(output).toContain('All done.')
    const paid = simulator.requests.filter(({ status, path }) => status === 200 && !path.includes('count'))
    expect(grant.usages).toHaveLength(paid.length)
    expect(grant.usages.filter(({ isComplete, costUsd }) => isComplete && costUsd > 0)).toHaveLength(
      paid.length,
    )
    expect(paid.length).toBeGreaterThanOrEqual(2)
  })

  test('gives up within seconds when the budget is used up, and says so', async () => {
    const message = 'The budget of this agent is used up.'
    let asked = 0
    const authorize = async () => ({ isAllowed: (asked += 1) < 0, message })
    world.gateway.open('agent-token', recordGrant({ authorize }))
    const { output, durationMs } = await play(name, [{ say: 'x' }])
    expect(output).toContain(message)
    expect(output).toContain('402')
    expect(asked).toBeLessThanOrEqual(3)
    expect(durationMs).toBeLessThan(15_000)
  })

  test('does not sleep on a long rate limit, which is the runner’s to wait for', async () => {
    const grant = recordGrant()
    world.gateway.open('agent-token', grant)
    const limit = { error: 429, headers: { 'retry-after': '40' }, times: 'always' } as const
    const { output, durationMs } = await play(name, [limit])
    expect(output).toContain('429')
    expect(grant.limits).toMatchObject([{ retryAfterMs: 40_000 }])
    expect(durationMs).toBeLessThan(15_000)
  })
})
