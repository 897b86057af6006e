import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { anthropicWire } from './wire-anthropic.ts'
import { parseEvents, post, readUntil } from './wire.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const started: ChildProcess[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

function start(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  return { child, output, ended: once(child, 'close') }
}

async function run(...args: string[]) {
  const { output, ended } = start(...args)
  const [code] = (await ended) as [number]
  return { code, ...output }
}

async function firstLine({ child, output }: ReturnType<typeof start>): Promise<string> {
  while (!output.stdout.includes('\n')) await once(child.stdout, 'data')
  return output.stdout
}

describe('the command', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('serves until %s, even while a model hangs', async (signal) => {
    const simulator = start('--json')
    const { url } = JSON.parse(await firstLine(simulator)) as { url: string }
    const remote = { url, requests: [], close: async () => undefined }
    const body = anthropicWire.body('```simulate\n- say: hold\n  hang: true\n```', [], { stream: true })
    const response = await post(remote, anthropicWire, body)
    await readUntil(response, '"ld"')
    simulator.child.kill(signal)
    expect(await simulator.ended).toEqual([0, null])
    expect(simulator.output).toEqual({ stdout: `{"url":"${url}"}\n`, stderr: '' })
    await response.text().catch(() => undefined)
  })

  test('plays the scripts of a folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skein-scripts-'))
    await writeFile(join(folder, 'mine.yaml'), 'name: mine\nwhen: mine\nsteps:\n  - say: played')
    const simulator = start('--scripts', folder)
    const [, url = ''] = /^The simulator is listening at (\S+)\n$/.exec(await firstLine(simulator)) ?? []
    const remote = { url, requests: [], close: async () => undefined }
    const response = await post(remote, anthropicWire, anthropicWire.body('mine', [], { stream: true }))
    expect(anthropicWire.readEvents(parseEvents(await response.text())).text).toBe('played')
    simulator.child.kill()
    await simulator.ended
    await rm(folder, { recursive: true })
  })

  test('explains itself', async () => {
    const { code, stdout, stderr } = await run('--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const word of ['--port', '--scripts', '--json', 'ANTHROPIC_BASE_URL', '```simulate']) {
      expect(stdout).toContain(word)
    }
  })

  test.each([
    [['--port', 'eighty'], '--port must be a number'],
    [['--prot', '1'], "Unknown option '--prot'"],
    [['--scripts', '/nowhere'], 'ENOENT'],
  ])('refuses %j without a stack', async (args, message) => {
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('    at ')
  })
})
