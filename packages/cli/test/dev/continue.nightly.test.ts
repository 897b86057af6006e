import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { inlineScript } from '@skein/simulator'
import { bareEnvironment } from '@skein/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeDataDir, removeDataDir, startDevProcess } from './dev-process.ts'
import { runProcess } from '../run-process.ts'

const A_MINUTE_MS = 60_000

const AGENTS = [
  { name: 'claude-bird', model: 'claude-sonnet-5', word: 'kingfisher' },
  { name: 'codex-bird', model: 'gpt-5.5', word: 'cormorant' },
] as const

let folder: string

beforeEach(async () => {
  folder = await makeDataDir()
})

afterEach(() => removeDataDir(folder))

async function skein(...args: string[]): Promise<string> {
  const env = { ...bareEnvironment(), HOME: folder }
  const { stdout, stderr, exitCode } = await runProcess(args, { env, cwd: folder })
  if (exitCode !== 0) throw new Error(`skein ${args.join(' ')} ended with ${exitCode}: ${stderr}`)
  return stdout
}

const life = (said: string, shell: string) => [
  { shell },
  { tool: 'finish', input: { result: said } },
  { say: said },
]

/**
 * The simulator finds its script in the conversation: a model that has forgotten it would play another one. So what a
 * later life says shows that the first is remembered.
 */
function scriptOf(word: string): string {
  return inlineScript([
    ...life('Noted.', `echo feathers of the ${word} > notes.txt`),
    ...life(`After a minute: ${word}.`, 'cat notes.txt'),
    ...life(`After a restart: ${word}.`, 'cat notes.txt'),
  ])
}

async function expectMemory(name: string, said: string, word: string): Promise<void> {
  const shown = await skein('send', '--continue', '--follow', `sample/${name}`, 'What was the word?')
  expect(shown).toContain(said)
  expect(await skein('logs', '--json', `sample/${name}`)).toContain(`feathers of the ${word}`)
}

describe.skipIf(process.platform !== 'linux')('agents that have finished', () => {
  test(
    'remember a word and keep a file: after a minute, and after everything was restarted',
    { timeout: 900_000 },
    async () => {
      const dataDir = join(folder, '.skein')
      await mkdir(dataDir)
      const first = await startDevProcess(dataDir, {}, '--simulate')
      for (const { name, model, word } of AGENTS) {
        const work = `The word is ${word}.\n\n${scriptOf(word)}`
        await skein('spawn', '--name', name, '--model', model, '--wait', work)
      }
      await pause(A_MINUTE_MS)
      for (const { name, word } of AGENTS) await expectMemory(name, `After a minute: ${word}.`, word)

      first.signal('SIGINT')
      expect(await first.exitCode).toBe(0)
      await startDevProcess(dataDir, {}, '--simulate')
      for (const { name, word } of AGENTS) await expectMemory(name, `After a restart: ${word}.`, word)
    },
  )
})
