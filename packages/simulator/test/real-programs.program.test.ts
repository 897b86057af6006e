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

const SCHEMA = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['good', 'bad'] }, score: { type: 'integer' } },
  required: ['verdict', 'score'],
  additionalProperties: false,
}

/** Runs a turn to its end and returns its last words, or its structured output as JSON. */
type Program = (prompt: string, schema?: typeof SCHEMA) => Promise<string>

const runClaude: Program = async (prompt, schema) => {
  const home = join(folder, 'home')
  const turn = query({
    prompt,
    options: {
      ...(schema && { outputFormat: { type: 'json_schema', schema } }),
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
    if (message.type !== 'result') continue
    words = message.subtype === 'success' ? message.result : message.subtype
    if ('structured_output' in message) words = JSON.stringify(message.structured_output)
  }
  return words
}

async function runCodex(model: string, prompt: string, schema?: typeof SCHEMA): Promise<string> {
  const home = join(folder, 'home')
  const work = join(folder, 'work')
  await writeFile(join(home, 'config.toml'), codexConfig(simulator.url, work))
  const codex = createRequire(import.meta.url).resolve('@openai/codex/bin/codex.js')
  const schemaFile = join(home, 'schema.json')
  if (schema) await writeFile(schemaFile, JSON.stringify(schema))
  const options = ['--json', '--skip-git-repo-check', '-s', 'danger-full-access', '-m', model]
  const args = ['exec', ...options, ...(schema ? ['--output-schema', schemaFile] : []), prompt]
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

const CLAUDE: [string, Program] = ['the real Claude Code', runClaude]
const CODEX: [string, Program] = ['the real Codex', (...asked) => runCodex('gpt-5.5', ...asked)]

describe('a script drives', () => {
  test.each<[string, Program]>([
    CLAUDE,
    CODEX,
    [
      'the real Codex with a model that calls tools from JavaScript',
      (prompt) => runCodex('gpt-6.1-sol', prompt),
    ],
  ])('%s', async (_name, runProgram) => {
    const before = simulator.requests.length
    expect(await runProgram(PROMPT)).toBe('Both files are there.')
    expect(await readFile(join(folder, 'work', 'one.txt'), 'utf8')).toBe('one\n')
    expect(await readFile(join(folder, 'work', 'two.txt'), 'utf8')).toBe('first\n')
    const requests = simulator.requests.slice(before)
    expect(requests.filter(({ isSide }) => !isSide).map(({ step }) => step)).toEqual([1, 2, 3])
    expect(requests.every(({ apiKey, status }) => apiKey === 'any-key' && status === 200)).toBe(true)
  })
})

describe('without a script, structured output fits its schema in', () => {
  test.each<[string, Program]>([CLAUDE, CODEX])('%s', async (_name, runProgram) => {
    expect(JSON.parse(await runProgram('Is greet.js good?', SCHEMA))).toEqual({ verdict: 'good', score: 1 })
  })
})
