import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endDevProcesses, makeDataDir, runNpxDev, untilNothingRuns, type ReadyDev } from './dev-process.ts'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

interface Block {
  readonly language: string
  readonly text: string
}

/** Stands for the clone, after `npm ci`: what a document writes below `.skein` must not land in ours. */
let clone: string
let dev: ReadyDev

beforeEach(async () => {
  clone = await makeDataDir()
  await symlink(join(repository, 'node_modules'), join(clone, 'node_modules'))
  await writeFile(join(clone, 'package.json'), '{"private":true}')
  await mkdir(join(clone, 'home'))
  dev = await runNpxDev(clone)
}, 90_000)

afterEach(async () => {
  await endDevProcesses(clone)
  await rm(clone, { recursive: true, force: true, maxRetries: 10 })
})

async function blocksOf(path: string, section = ''): Promise<Block[]> {
  const text = await readFile(join(repository, path), 'utf8')
  const part = text.split(/^## /m).find((each) => each.startsWith(section)) ?? ''
  return [...(section === '' ? text : part).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', block = '']) => ({ language, text: block }),
  )
}

/** As a person would: pasted into a second terminal. */
async function paste(command: string): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    HOME: join(clone, 'home'),
    SKEIN_URL: dev.baseUrl,
    SKEIN_API_KEY: dev.apiKey,
  }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], {
    env,
    cwd: clone,
  })
  return stdout
}

const commandsOf = (blocks: readonly Block[]): string[] =>
  blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)

/** Runs all but the first block, which is how `dev` was started. */
async function pasteAll(blocks: readonly Block[]): Promise<string[]> {
  const [start = '', ...rest] = commandsOf(blocks)
  expect(start.trim().split('\n')).toEqual(['npm ci', 'npx skein dev'])
  const outputs: string[] = []
  for (const command of rest) outputs.push(await paste(command))
  return outputs
}

describe.skipIf(process.platform !== 'linux')('what a newcomer pastes', () => {
  test('from the README ends with a completed agent whose branch is pushed', async () => {
    const startedAt = performance.now()
    const [spawned, log] = await pasteAll(await blocksOf('README.md', 'Five-minute start'))
    expect(spawned).toContain('sample/first completed')
    expect(log).toContain('Write down what this repository is about')
    const agentMs = performance.now() - startedAt
    process.stdout.write(
      `README: npx skein dev ready in ${dev.readyMs} ms, the agent done in ${Math.round(agentMs)} ms\n`,
    )
    expect(agentMs).toBeLessThan(60_000)
  })

  test('from the quick start gives what it shows, command by command', async () => {
    const blocks = await blocksOf('docs/quickstart.md')
    const outputs = await pasteAll(blocks)
    const [spawned, pushed, listed, applied, identity, waited] = outputs
    expect(outputs).toHaveLength(6)
    expect(spawned).toContain('sample/haiku completed')
    expect(pushed).toContain('NOTES.md')
    expect(listed).toContain('haiku')
    expect(applied).toContain('project')
    const shown = blocks.find(({ language }) => language === 'json')?.text ?? ''
    expect(JSON.parse(identity ?? '')).toEqual(JSON.parse(shown))
    expect(waited).toContain('WAIT_REASON_COMPLETED')
  })

  test('is stopped when npx is ended alone, and leaves nothing running', async () => {
    dev.child.kill('SIGTERM')
    await dev.exitCode
    await untilNothingRuns(clone)
    expect(dev.stderr()).toContain('Stopping')
  })
})
