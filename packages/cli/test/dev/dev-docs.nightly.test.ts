import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDataDir, type ReadyDev, removeDataDir, runNpxDev, untilNothingRuns } from './dev-process.ts'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))

interface Block {
  readonly language: string
  readonly text: string
}

/** Stands for the clone, after `npm ci`: what a document writes below `.skein` must not land in ours. */
let clone: string
let dev: ReadyDev

beforeAll(async () => {
  clone = await makeDataDir()
  await symlink(join(repository, 'node_modules'), join(clone, 'node_modules'))
  await writeFile(join(clone, 'package.json'), '{"private":true}')
  await mkdir(join(clone, 'home'))
  dev = await runNpxDev(clone)
}, 300_000)

afterAll(() => removeDataDir(clone))

async function blocksOf(path: string, section = ''): Promise<Block[]> {
  const text = await readFile(join(repository, path), 'utf8')
  const part = text.split(/^## /m).find((each) => each.startsWith(section)) ?? ''
  // A block that has one inside, such as a script for the simulator, has a longer fence.
  return [...(section === '' ? text : part).matchAll(/^(`{3,})(\w+)\n([\s\S]*?)^\1$/gm)].map(
    ([, , language = '', block = '']) => ({ language, text: block }),
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
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', command], {
    env,
    cwd: clone,
  })
  return stdout
}

/** What commands are said to print, with anything in place of what differs from day to day. */
function withoutChance(text: string): string[] {
  return text
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '<time>')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<server>')
    .replaceAll(/\$\d[\d.]*/g, '<cost>')
    .replaceAll(/(?<=\s)(?:\d+[dhms])+\b/g, '<span>')
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '' && line !== '…')
}

/** Runs the commands of a guide, and answers with what went wrong: lines that it shows and that did not come. */
async function pasteGuide(path: string): Promise<string[]> {
  const missing: string[] = []
  let output = ''
  for (const { language, text } of await blocksOf(path)) {
    if (language === 'sh') output = await paste(`exec 2>&1\n${text}`)
    if (language === 'ts') await writeFile(join(clone, 'ask.ts'), text)
    if (language !== 'text') continue
    const printed = new Set(withoutChance(output))
    const absent = withoutChance(text).filter((line) => !printed.has(line))
    missing.push(...absent.map((line) => `${path}: ${line}`))
    if (absent.length > 0) missing.push(output)
  }
  return missing
}

function outputOf(failure: unknown): string {
  const isCommand = typeof failure === 'object' && failure !== null && 'stdout' in failure
  return isCommand ? String(failure.stdout) : ''
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

  test('from the quick start prints what the page shows, command by command', async () => {
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

  test('from the guides works, and prints what they show', { timeout: 300_000 }, async () => {
    const startedAt = performance.now()
    const guides = (await readdir(join(repository, 'docs/guides'))).map((name) => `docs/guides/${name}`)
    expect(guides.length).toBeGreaterThanOrEqual(8)
    const outcomes = await Promise.allSettled(guides.map(pasteGuide))
    process.stdout.write(`${guides.length} guides in ${Math.round(performance.now() - startedAt)} ms\n`)
    const faults = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : [String(outcome.reason), outputOf(outcome.reason)],
    )
    expect(faults).toEqual([])
  })

  test('is stopped when npx is ended alone, and leaves nothing running', async () => {
    dev.child.kill('SIGTERM')
    await dev.exitCode
    await untilNothingRuns(clone)
    expect(dev.stderr()).toContain('Stopping')
  })
})
