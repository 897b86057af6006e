import { query } from '@anthropic-ai/claude-agent-sdk'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inlineScript, startSimulator, type Simulator } from '../src/index.ts'

const PROMPT = `Make two files.\n\n${inlineScript([
  { say: 'I begin.', shell: 'echo one > one.txt; echo first' },
  { shell: 'echo "${result}" > two.txt' },
  { say: 'Both files are there.' },
])}`

let simulator: Simulator
let folder: string

beforeAll(async () => {
  simulator = await startSimulator()
})

afterAll(async () => {
  await simulator.close()
  // Opened by the mere import of the Agent SDK.
  process.stdin.destroy()
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-real-'))
  await mkdir(join(folder, 'work'))
  await mkdir(join(folder, 'home'))
})

afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }))

/** Runs a turn to its end and returns its last words. */
type Program = () => Promise<string>

async function runClaude(): Promise<string> {
  const home = join(folder, 'home')
  const turn = query({
    prompt: PROMPT,
    options: {
      cwd: join(folder, 'work'),
      model: 'claude-sonnet-5',
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        CLAUDE_CONFIG_DIR: join(home, '.claude'),
        ANTHROPIC_BASE_URL: simulator.url,
        ANTHROPIC_API_KEY: 'any-key',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_MAX_RETRIES: '1',
        // Without it Claude Code refuses to work as root, as in a container.
        IS_SANDBOX: '1',
      },
      settingSources: [],
      strictMcpConfig: true,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    },
  })
  let words = ''
  // To the end, so that the process is gone before its folder is.
  for await (const message of turn) {
    if (message.type === 'result') words = message.subtype === 'success' ? message.result : message.subtype
  }
  return words
}

async function runCodex(model: string): Promise<string> {
  const home = join(folder, 'home')
  const work = join(folder, 'work')
  await writeFile(join(home, 'config.toml'), codexConfig(simulator.url, work))
  const codex = createRequire(import.meta.url).resolve('@openai/codex/bin/codex.js')
  const args = ['exec', '--json', '--skip-git-repo-check', '-s', 'danger-full-access', '-m', model, PROMPT]
  const child = spawn(process.execPath, [codex, ...args], {
    cwd: work,
    env: { PATH: process.env['PATH'], HOME: home, CODEX_HOME: home, SIMULATOR_KEY: 'any-key' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await once(child, 'close')
  const items = output
    .split('\n')
    .filter((line) => line.includes('"agent_message"'))
    .map((line) => (JSON.parse(line) as { item: { text: string } }).item.text)
  return items.at(-1) ?? output
}

function codexConfig(url: string, work: string): string {
  return `
model_provider = "simulator"
check_for_update_on_startup = false
web_search = "disabled"
[analytics]
enabled = false
[features]
plugins = false
apps = false
goals = false
[model_providers.simulator]
name = "simulator"
base_url = "${url}/v1"
env_key = "SIMULATOR_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[projects."${work}"]
trust_level = "untrusted"
`
}

describe('a script drives', () => {
  test.each<[string, Program]>([
    ['the real Claude Code', runClaude],
    ['the real Codex', () => runCodex('gpt-5.5')],
    ['the real Codex with a model that calls tools from JavaScript', () => runCodex('gpt-6.1-sol')],
  ])('%s', async (_name, runProgram) => {
    const before = simulator.requests.length
    expect(await runProgram()).toBe('Both files are there.')
    expect(await readFile(join(folder, 'work', 'one.txt'), 'utf8')).toBe('one\n')
    expect(await readFile(join(folder, 'work', 'two.txt'), 'utf8')).toBe('first\n')
    const requests = simulator.requests.slice(before)
    expect(requests.filter(({ isSide }) => !isSide).map(({ step }) => step)).toEqual([1, 2, 3])
    expect(requests.every(({ apiKey, status }) => apiKey === 'any-key' && status === 200)).toBe(true)
  })
})
