import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isNewEnough } from '../../src/git/git-version.ts'
import { nameRepos } from '../../src/workspace/repo-names.ts'
import { parseSavedWork } from '../../src/workspace/saved-work.ts'

describe('the folder of a repository', () => {
  test.each([
    ['https://git.example.com/acme/shop.git', 'shop'],
    ['https://git.example.com/acme/shop/', 'shop'],
    ['https://git.example.com/acme/My%20Shop.GIT?x=1#y', 'My-20Shop'],
    ['https://git.example.com/acme/.github', 'github'],
    ['https://git.example.com/..', 'repo'],
    ['https://git.example.com/acme/-rf', 'rf'],
    ['https://git.example.com/acme/.git.git', 'git'],
    ['/srv/git/shop.git.git', 'shop-repo'],
  ])('%s lies in %s', (url, name) => {
    expect(nameRepos([url])).toEqual([name])
  })

  test('names are safe and unique, whatever the addresses', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom('a/b', 'c/B', 'b-2'))),
        (urls) => {
          const names = nameRepos(urls)
          expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(urls.length)
          for (const name of names) expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
        },
      ),
    )
  })
})

test('a commit that is not of our making is not taken for saved work', () => {
  const tree = `tree ${'a'.repeat(40)}\n`
  expect(parseSavedWork(`${tree}\nUnfinished work of a Skein agent\n\nBranch: none\nHead: none\n`)).toEqual({
    tree: 'a'.repeat(40),
    branchRef: '',
    head: '',
    refs: [],
  })
  expect(parseSavedWork(`${tree}\nanother\n\nBranch: none\nHead: none\n`)).toBeUndefined()
  expect(
    parseSavedWork(`${tree}\nUnfinished work of a Skein agent\n\nBranch: ../x\nHead: none\n`),
  ).toBeUndefined()
  expect(parseSavedWork('')).toBeUndefined()
})

test.each([
  ['git version 2.36.9', false],
  ['git version 1.99.0', false],
  ['git version 2.37.0', true],
  ['git version 2.39.5 (Apple Git-154)', true],
  ['git version 3.0.0', true],
  ['', false],
])('whether git supports setting the address is read from "%s"', (version, isEnough) => {
  expect(isNewEnough(version)).toBe(isEnough)
})
