import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startCliWorld, type CliWorld } from './cli-world.ts'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../../', import.meta.url))
const example = (name: string): string => join(repository, 'examples', name)

let world: CliWorld
let env: Record<string, string>

beforeAll(async () => {
  world = await startCliWorld()
  const path = [join(repository, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  env = { PATH: path, HOME: world.folder, SKEIN_URL: world.baseUrl, SKEIN_API_KEY: world.apiKey }
})
afterAll(() => world.close())

test('the shell script prints what the agent said last', async () => {
  const { stdout, stderr } = await run(example('ask-an-agent.sh'), ['Say something.'], { env })
  expect(stdout.trim()).toBe('resting')
  expect(stderr).toContain('It cost $0.')
})

test('the TypeScript program runs one agent for each folder and leaves none behind', async () => {
  const { stdout } = await run(process.execPath, [example('fan-out.ts'), 'shop', 'a', 'b', 'c'], {
    env,
    cwd: repository,
  })
  for (const folder of ['a', 'b', 'c']) expect(stdout).toMatch(new RegExp(`^${folder} \\(shop/`, 'm'))
  const { entries } = (await world.tenant.admin.post('/v1/agents', { labelSelector: 'purpose=dead-code' }))
    .body
  expect(entries).toEqual([])
})

test('the persona can be applied as it is, and an agent takes it', async () => {
  const { stdout, exitCode } = await world.skein(['apply', '-f', example('coordinator.md')])
  expect(stdout).toContain('coordinator')
  expect(exitCode).toBe(0)
  const spawned = await world.json(['spawn', '--persona', 'coordinator', '--name', 'leader', 'Build it.'])
  expect(spawned['agent']).toBe('shop/leader')
})

interface Workflow {
  readonly jobs: { readonly review: { readonly steps: readonly { readonly run?: string }[] } }
}

async function readScripts(): Promise<string[]> {
  const { jobs } = parse(await readFile(example('github-actions.yml'), 'utf8')) as Workflow
  return jobs.review.steps.map(({ run: script = '' }) => script)
}

test('the workflow is YAML, and every command in it is one of ours', async () => {
  const commands = [...(await readScripts()).join('\n').matchAll(/(?:^|[\s(])skein ([a-z]+)/gm)]
  expect(commands.map(([, command]) => command)).toEqual(['spawn', 'wait', 'status'])
  for (const [, command = ''] of commands) {
    expect((await world.skein([command, '--help'])).exitCode).toBe(0)
  }
})

test('the workflow never puts text that others choose into a shell script', async () => {
  for (const script of await readScripts()) expect(script).not.toContain('${{')
})
