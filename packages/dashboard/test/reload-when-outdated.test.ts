import { expect, test } from 'vitest'
import { reloadForMissing } from '../src/layout/reload-when-outdated.ts'

function openTab({ isServiceThere = true } = {}) {
  const kept = new Map<string, string>()
  let reloads = 0
  return {
    reloads: () => reloads,
    miss: (part: string) =>
      reloadForMissing(part, {
        storage: {
          getItem: (key) => kept.get(key) ?? null,
          setItem: (key, value) => void kept.set(key, value),
        },
        isServiceThere: () => Promise.resolve(isServiceThere),
        reload: () => (reloads += 1),
      }),
  }
}

test('a part that is gone after an upgrade reloads the page, and a part that stays away only once', async () => {
  const tab = openTab()
  await tab.miss('markdown-1.js')
  await tab.miss('markdown-1.js')
  expect(tab.reloads()).toBe(1)
})

test('the next upgrade reloads the same tab again', async () => {
  const tab = openTab()
  await tab.miss('markdown-1.js')
  await tab.miss('markdown-2.js')
  expect(tab.reloads()).toBe(2)
})

test('a page stays while the service is unavailable', async () => {
  const tab = openTab({ isServiceThere: false })
  await tab.miss('markdown-1.js')
  expect(tab.reloads()).toBe(0)
})
