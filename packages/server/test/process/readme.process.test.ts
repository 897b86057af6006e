import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endDev, makeDataDir, processesOf, repository, startDev, type DevProcess } from './dev-process.ts'

interface Block {
  readonly language: string
  readonly text: string
}

let dataDir: string
let dev: DevProcess
let blocks: Block[]

beforeAll(async () => {
  blocks = blocksOf(await readFile(join(repository, 'README.md'), 'utf8'), 'Five-minute start')
  dataDir = await makeDataDir('skein-readme-')
  dev = await startDev(dataDir)
}, 90_000)

afterAll(async () => {
  dev.signal('SIGINT')
  await dev.ended
  await waitFor(() => processesOf(dataDir).length === 0, { what: 'the database to end', timeoutMs: 30_000 })
  await endDev()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
})

/** The fenced blocks under a heading, in their order. */
function blocksOf(markdown: string, heading: string): Block[] {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(heading)) ?? ''
  return [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
}

/** As a person would: pasted into a shell that has what `npm run dev` printed. */
async function paste(command: string): Promise<string> {
  const env = { PATH: process.env['PATH'], SKEIN_URL: dev.url, SKEIN_API_KEY: dev.key }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { env })
  return stdout
}

/** Times differ from run to run. */
const withoutTimes = (text: string): unknown =>
  JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>'))

const commandsOf = (language: string): string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text)

describe('the five-minute start of the README', () => {
  test('begins with npm ci and npm run dev, which prints the variables that the README names', () => {
    const [start, variables] = commandsOf('sh')
    expect(start?.trim().split('\n')).toEqual(['npm ci', 'npm run dev'])
    const names = [...(variables ?? '').matchAll(/export (\w+)=/g)].map(([, name]) => name)
    expect(names).toEqual(['SKEIN_URL', 'SKEIN_API_KEY'])
    for (const name of names) expect(dev.output()).toContain(`export ${name}=`)
  })

  test('gives what the README shows, command by command', async () => {
    const [, , whoami = '', write = '', read = '', history = ''] = commandsOf('sh')
    const [shownIdentity = '', shownDocument = ''] = commandsOf('json')
    expect(dev.output()).toContain(whoami.trim())
    expect(withoutTimes(await paste(whoami))).toEqual(withoutTimes(shownIdentity))
    expect(withoutTimes(await paste(write))).toMatchObject({ generation: '1' })
    expect(withoutTimes(await paste(read))).toEqual(withoutTimes(shownDocument))
    expect(withoutTimes(await paste(write))).toMatchObject({ generation: '2' })
    const versions = [{ generation: '2' }, { generation: '1' }]
    expect(withoutTimes(await paste(history))).toMatchObject({ entries: versions })
  })

  test('has no command that this test does not run', () => {
    expect(commandsOf('sh')).toHaveLength(6)
    expect(blocks.map(({ language }) => language).sort()).toEqual([
      'json',
      'json',
      ...Array<string>(6).fill('sh'),
    ])
  })
})
