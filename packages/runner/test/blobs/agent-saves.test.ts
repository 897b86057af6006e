import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AgentSaves } from '../../src/blobs/agent-saves.ts'
import { FileBlobStore } from '@skein/host/blobs'

let dir: string
let store: FileBlobStore
let saves: AgentSaves

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'skein-saves-'))
  store = new FileBlobStore(dir)
  saves = new AgentSaves(store, 'agent')
})

afterEach(() => rm(dir, { recursive: true, force: true }))

async function filesLeft(): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

async function put(key: string): Promise<boolean> {
  await store.put(key, Buffer.from(key))
  return true
}

test('a save is listed from before it is stored until it is removed', async () => {
  await saves.add('one', async (key) => {
    expect(await saves.list()).toEqual(['one'])
    return put(key)
  })
  expect(await new AgentSaves(store, 'other').list()).toEqual([])
  expect(await saves.list()).toEqual(['one'])
  await saves.remove(['one', 'never-stored'])
  expect(await filesLeft()).toBe(0)
})

test('what cannot be stored leaves nothing', async () => {
  expect(await saves.add('one', async () => false)).toBe(false)
  expect(await filesLeft()).toBe(0)
})

test('an upload that was cut off is listed, and removed with its draft', async () => {
  const cut = saves.add('one', async (key) => {
    await put(key)
    const names = await readdir(dir, { recursive: true })
    const path = names.find((name) => /^..\/.{64}$/.test(name)) ?? ''
    await rm(join(dir, path))
    await writeFile(join(dir, `${path}.0b5e.new`), 'part of')
    throw new Error('killed')
  })
  await expect(cut).rejects.toThrow('killed')
  expect(await saves.list()).toEqual(['one'])
  await saves.remove(await saves.list())
  expect(await filesLeft()).toBe(0)
})

test('a save that ends after a newer attempt has removed its mark is still found', async () => {
  await saves.add('late', async (key) => {
    await saves.remove(await saves.list())
    return put(key)
  })
  expect(await saves.list()).toEqual(['late'])
})

test('what one cannot remove does not keep the others', async () => {
  for (const name of ['a', 'b', 'c']) await saves.add(name, put)
  const remove = store.remove.bind(store)
  store.remove = async (key) => {
    if (key.endsWith('/b')) throw new Error('no')
    await remove(key)
  }
  await expect(saves.remove(['a', 'b', 'c'])).rejects.toThrow('no')
  expect(await saves.list()).toEqual(['b'])
})

/** What may happen to the attempts of one agent's runs, in any order. */
type Step = 'claim' | 'save' | 'cut-off' | 'report' | 'list' | 'complete' | 'kill'
const STEPS: readonly Step[] = ['claim', 'save', 'cut-off', 'report', 'list', 'complete', 'kill']

interface Attempt {
  readonly token: number
  saved: string | undefined
  listed: string[] | undefined
}

/** The service: it knows one save, and takes reports only from the newest attempt. */
class Service {
  session: string | undefined
  #token = 0

  claim(): Attempt {
    this.#token += 1
    return { token: this.#token, saved: undefined, listed: undefined }
  }

  take({ token, saved }: Attempt): boolean {
    if (token !== this.#token || saved === undefined) return false
    this.session = saved
    return true
  }
}

async function hasSession(own: AgentSaves, { session }: Service): Promise<boolean> {
  const found = session === undefined ? undefined : await store.get(own.keyOf(session))
  found?.destroy()
  return session === undefined || found !== undefined
}

test('whatever is killed or late, the save that the service has is there, and others go', async () => {
  const steps = fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...STEPS)), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(steps, fc.uuid(), async (history, agent) => {
      const own = new AgentSaves(store, agent)
      const service = new Service()
      const runners = [service.claim(), service.claim(), service.claim()]
      let count = 0
      const complete = async (attempt: Attempt): Promise<void> => {
        if (attempt.listed && service.take(attempt))
          await own.remove(attempt.listed.filter((name) => name !== attempt.saved))
      }
      const save = async (attempt: Attempt): Promise<void> => {
        const name = `save-${(count += 1)}`
        await own.add(name, put)
        attempt.saved = name
      }
      for (const [which, step] of history) {
        const attempt = runners[which] ?? service.claim()
        if (step === 'claim' || step === 'kill') runners[which] = service.claim()
        else if (step === 'save') await save(attempt)
        else if (step === 'cut-off')
          await own
            .add(`cut-${(count += 1)}`, async () => {
              throw new Error('killed')
            })
            .catch(() => {})
        else if (step === 'report') service.take(attempt)
        else if (step === 'list') attempt.listed = await own.list()
        else await complete(attempt)
        expect(await hasSession(own, service)).toBe(true)
      }
      const last = service.claim()
      last.listed = await own.list()
      await save(last)
      await complete(last)
      expect(await own.list()).toEqual([service.session])
    }),
    { numRuns: 25 },
  )
})
