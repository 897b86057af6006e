import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileBlobStore } from '@skein/host/blobs'
import { collectOutput } from '../../src/sandbox/collect-output.ts'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { Redactor } from '../../src/secrets/redactor.ts'
import { unlimited } from '../limits.ts'
import { openInside } from '../../src/workspace/open-inside.ts'
import { restoreSession, saveSession } from '../../src/workspace/session-files.ts'

let dir: string
let sandboxes: Sandbox[]
let store: FileBlobStore
const key = 'sessions/docs'
const redactor = new Redactor(['the "secret" of a run'])

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'skein-session-'))
  sandboxes = []
  store = new FileBlobStore(join(dir, 'blobs'))
})

afterEach(async () => {
  for (const sandbox of sandboxes) await sandbox.dispose()
  await rm(dir, { recursive: true, force: true })
})

async function createSandbox(name: string): Promise<Sandbox> {
  const sandbox = await findSandboxProvider('process').create({
    id: name,
    workDir: join(dir, name, 'work'),
    stateDir: join(dir, name, 'state'),
    readOnlyPaths: [],
    network: 'open',
    front: { port: 1, serve: () => undefined },
    limits: unlimited,
  })
  sandboxes.push(sandbox)
  return sandbox
}

async function run(sandbox: Sandbox, script: string): Promise<string> {
  const program = sandbox.spawn({
    program: 'sh',
    args: ['-c', script],
    env: {},
    workDir: sandbox.spec.stateDir,
  })
  return (await collectOutput(program, { maxBytes: 8 * 1024 * 1024 })).stdout
}

function sessionAt(transcript: string) {
  return { backend: 'a', id: '1', transcript }
}

describe('a session', () => {
  test('continues anywhere with the same transcript', async () => {
    const session = sessionAt('projects/my work/1.jsonl')
    const here = await createSandbox('here')
    await run(here, `mkdir -p 'projects/my work'; seq 1 200000 > 'projects/my work/1.jsonl'`)
    expect(await saveSession({ sandbox: here, store, key, session, redactor })).toEqual({ isDone: true })
    const there = await createSandbox('there')
    expect(await restoreSession({ sandbox: there, store, key, session })).toEqual({ isDone: true })
    const look = `cksum < 'projects/my work/1.jsonl'; ls projects/*`
    expect(await run(there, look)).toBe(await run(here, look))
  })

  test('continues without the secrets that were in its transcript, which stays readable', async () => {
    const session = sessionAt('1.jsonl')
    const here = await createSandbox('here')
    const line = JSON.stringify({ filler: 'x'.repeat(500), text: 'It is the "secret" of a run.' })
    await run(here, `for i in $(seq 1 2000); do printf '%s\\n' '${line}'; done > 1.jsonl`)
    await saveSession({ sandbox: here, store, key, session, redactor })
    await restoreSession({ sandbox: here, store, key, session })
    const lines = (await run(here, 'cat 1.jsonl')).trim().split('\n')
    expect(lines).toHaveLength(2000)
    for (const each of lines) expect(JSON.parse(each)).toMatchObject({ text: 'It is [secret].' })
  })

  test('that was never saved cannot be continued', async () => {
    const sandbox = await createSandbox('here')
    const place = { sandbox, store, key, session: sessionAt('1.jsonl'), redactor }
    expect(await restoreSession(place)).toEqual({ isDone: false, reason: 'the session was not saved' })
    expect(await saveSession(place)).toEqual({ isDone: false, reason: 'the transcript does not exist' })
    expect(await store.get(key)).toBeUndefined()
  })

  test.each([
    ['a link in place of the transcript', 'ln -s "$HOME/../../../secret" 1.jsonl', '1.jsonl'],
    ['a link in place of its directory', 'ln -s ../.. out', 'out/secret'],
    ['a link to another of its directories', 'mkdir a; echo x > a/1.jsonl; ln -s a b', 'b/1.jsonl'],
    ['a pipe', 'mkfifo 1.jsonl', '1.jsonl'],
    ['a directory', 'mkdir 1.jsonl', '1.jsonl'],
    ['a name that leads out', 'true', '../../secret'],
    ['an absolute name', 'true', '/etc/passwd'],
  ])('is not saved from %s', async (_what, script, transcript) => {
    const sandbox = await createSandbox('here')
    await run(sandbox, `echo secret > ../../secret; ${script}`)
    const place = { sandbox, store, key, session: sessionAt(transcript), redactor }
    expect(await saveSession(place)).toMatchObject({ isDone: false })
    expect(await store.get(key)).toBeUndefined()
  })

  test('is never read through a link, however fast its directory is exchanged for one', async () => {
    const sandbox = await createSandbox('here')
    await run(sandbox, 'mkdir ../../out own; echo secret > ../../out/1.jsonl; echo own > own/1.jsonl')
    const { stateDir } = sandbox.spec
    const exchange =
      'while :; do mv own own.away; ln -s ../../out own; rm own; mv own.away own; done 2>/dev/null'
    const program = sandbox.spawn({ program: 'sh', args: ['-c', exchange], env: {}, workDir: stateDir })
    const found = new Set<string>()
    for (let attempt = 0; attempt < 2000 || !found.has('own\n'); attempt += 1) {
      const file = await openInside(stateDir, 'own/1.jsonl')
      found.add((await file?.readFile('utf8')) ?? 'nothing')
      await file?.close()
    }
    program.kill()
    await program.ended
    expect(found).not.toContain('secret\n')
  })

  test('that is too large is not saved, and what was saved before stays', async () => {
    const sandbox = await createSandbox('here')
    const place = { sandbox, store, key, session: sessionAt('1.jsonl'), maxBytes: 1_000, redactor }
    await run(sandbox, 'echo before > 1.jsonl')
    await saveSession(place)
    await run(sandbox, 'head -c 5000000 /dev/zero > 1.jsonl')
    expect(await saveSession(place)).toEqual({ isDone: false, reason: 'the transcript is too large' })
    await restoreSession(place)
    expect(await run(sandbox, 'cat 1.jsonl')).toBe('before\n')
  })

  test('that is damaged in the store does not replace anything', async () => {
    const sandbox = await createSandbox('here')
    await run(sandbox, 'echo here > 1.jsonl')
    await store.put(key, Buffer.from('not packed'))
    const place = { sandbox, store, key, session: sessionAt('1.jsonl'), redactor }
    expect(await restoreSession(place)).toMatchObject({ isDone: false })
    expect(await run(sandbox, 'cat 1.jsonl')).toBe('here\n')
  })
})
