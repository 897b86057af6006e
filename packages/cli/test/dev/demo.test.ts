import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSimulator } from '@skein/simulator'
import { bareEnvironment } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { DEMO_AGENTS } from '../../src/demo/demo-agents.ts'
import { DEMO_REPOSITORY, DEMO_SCRIPTS } from '../../src/demo/demo-files.ts'
import { writeDemoMark } from '../../src/demo/demo-mark.ts'
import { findDev, requireSimulator } from '../../src/demo/find-dev.ts'
import { readFolderProfile, writeFolderProfile, type DevModel } from '../../src/profile/folder-profile.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-demo-'))
})

afterEach(() => rm(folder, { recursive: true }))

const STOPPED_PID = 2_147_483_646

/** What `skein dev` leaves in its folder; this process stands for one that runs. */
async function makeDev(
  name: string,
  { model = 'simulator', isRunning = true }: { model?: DevModel; isRunning?: boolean } = {},
): Promise<string> {
  const data = join(folder, name, '.skein')
  await mkdir(data, { recursive: true })
  await writeFile(join(data, 'dev.json'), '{}')
  await writeFolderProfile(data, { url: 'http://127.0.0.1:8080', apiKey: 'skn_dev', model })
  if (!isRunning) {
    const path = join(data, 'profile.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace(String(process.pid), String(STOPPED_PID)))
  }
  return data
}

const find = (cwd: string, env = {}, name?: string) =>
  findDev({ env: { SKEIN_CONFIG: join(folder, 'config.json'), ...env }, name, cwd: join(folder, cwd) })

describe('where the demo runs', () => {
  test('a skein dev on a real model is refused, and so is one that does not say what it uses', async () => {
    for (const [model, why] of [
      ['provider', 'would cost real money'],
      ['none', 'it has no runner'],
    ] as const) {
      const dev = await readFolderProfile(await makeDev(model, { model }))
      expect(() => requireSimulator(dev)).toThrow(why)
    }
    const data = await makeDev('simulated')
    const simulated = await readFolderProfile(data)
    expect(() => requireSimulator(simulated)).not.toThrow()
    const path = join(data, 'profile.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('"simulator"', '"unknown"'))
    await expect(readFolderProfile(data)).rejects.toThrow('is not a profile')
  })

  test('agents that wait for their skein dev to start again are not given to the simulator', async () => {
    await makeDev('mine', { isRunning: false })
    await expect(find('mine')).rejects.toThrow('is not running')
  })

  test('commands that would go elsewhere are not printed', async () => {
    await makeDev('here')
    await expect(find('here', { SKEIN_URL: 'https://skein.example.com' })).rejects.toThrow('SKEIN_URL')
    await expect(find('here', { SKEIN_PROFILE: 'company' })).rejects.toThrow('profile company')
    await expect(find('here', {}, 'company')).rejects.toThrow('profile company')
  })

  test('is the skein dev that runs here or above, or the one that is named', async () => {
    const here = await makeDev('here')
    await mkdir(join(folder, 'here', 'deep'))
    expect(await find('here/deep')).toMatchObject({ running: { folder: here } })
    const named = { running: { folder: here } }
    expect(await find('.', {}, here)).toMatchObject(named)
    expect(await find('.', { SKEIN_PROFILE: here })).toMatchObject(named)
  })

  test('is a new one in an empty folder, and again the one of the demo after that was stopped', async () => {
    expect(await find('.')).toEqual({ startIn: join(folder, '.skein') })
    const stopped = await makeDev('demo', { isRunning: false })
    await writeDemoMark(stopped, { pid: STOPPED_PID })
    expect(await find('demo')).toEqual({ startIn: stopped })
  })
})

interface DemoScript {
  readonly name: string
  readonly when: string
  readonly steps: readonly {
    readonly write?: { readonly path: string; readonly text: string }
    readonly calls?: readonly { readonly tool?: string; readonly input?: { readonly task?: string } }[]
  }[]
}

async function readScripts(): Promise<DemoScript[]> {
  const files = (await readdir(DEMO_SCRIPTS)).sort()
  return Promise.all(
    files.map(async (file) => parse(await readFile(join(DEMO_SCRIPTS, file), 'utf8')) as DemoScript),
  )
}

describe('what the agents of the demo do', () => {
  test('each of them, and each child, finds one script by its words, and the simulator can play it', async () => {
    const scripts = await readScripts()
    const children = scripts
      .flatMap(({ steps }) => steps.flatMap(({ calls = [] }) => calls))
      .flatMap(({ tool, input }) => (tool === 'spawn_child' ? [input?.task ?? ''] : []))
    const prompts = [...DEMO_AGENTS.map(({ description }) => description), ...children]
    const found = prompts.map((prompt) => scripts.filter(({ when }) => new RegExp(when, 'iu').test(prompt)))
    expect(found.map((matches) => matches.length)).toEqual(prompts.map(() => 1))
    expect(new Set(found.flat()).size).toBe(scripts.length)
    const simulator = await startSimulator({ scripts: [DEMO_SCRIPTS] })
    await simulator.close()
  })

  test('the test of the library fails before the fix and passes after it', async () => {
    const library = join(folder, 'library')
    await cp(DEMO_REPOSITORY, library, { recursive: true })
    const passes = (): Promise<boolean> =>
      promisify(execFile)(process.execPath, ['--test'], { cwd: library, env: bareEnvironment() }).then(
        () => true,
        () => false,
      )
    expect(await passes()).toBe(false)
    const fix = (await readScripts()).find(({ name }) => name === 'demo-fix-split')
    for (const { write } of fix?.steps ?? []) {
      if (write) await writeFile(join(library, write.path), write.text)
    }
    expect(await passes()).toBe(true)
  })
})
