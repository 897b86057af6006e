import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileCacheFolder } from '../src/compile-cache.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'skein-home-'))
})
afterAll(() => rm(home, { recursive: true }))

describe('what Node compiled', () => {
  test('is kept in the home of the person', () => {
    const folder = join(home, '.cache/skein/compiled')
    expect(compileCacheFolder({ HOME: home })).toBe(folder)
    expect(compileCacheFolder({ HOME: home, XDG_CACHE_HOME: '' })).toBe(folder)
  })

  test('is kept where the person keeps caches', () => {
    expect(compileCacheFolder({ HOME: home, XDG_CACHE_HOME: '/elsewhere' })).toBe('/elsewhere/skein/compiled')
  })

  test('is not stored without a home directory: none is created for it', () => {
    expect(compileCacheFolder({ HOME: join(home, 'missing') })).toBeUndefined()
  })
})
