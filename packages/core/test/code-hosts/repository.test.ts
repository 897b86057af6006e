import { describe, expect, test } from 'vitest'
import { apiUrlOf, isSameText, repositoryOf } from '../../src/code-hosts/repository.ts'

const shop = { owner: 'acme', name: 'shop' }

describe('the repository that a URL names', () => {
  test.each([
    ['https://github.com', 'https://github.com/acme/shop.git'],
    ['https://github.com/', 'https://github.com/acme/shop'],
    ['https://github.com', 'https://github.com/acme/shop/'],
    ['https://GitHub.com', 'https://someone:secret@github.com/acme/shop.git'],
    ['https://example.com/git', 'https://example.com/git/acme/shop.git'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/acme/shop.git'],
  ])('on %s, %s', (host, url) => {
    expect(repositoryOf({ type: 'github', url: host }, url)).toEqual(shop)
    expect(repositoryOf({ type: 'gitlab', url: host }, url)).toEqual(shop)
  })

  test.each([
    ['https://github.com', 'https://github.com.evil.example/acme/shop.git'],
    ['https://github.com', 'http://github.com/acme/shop.git'],
    ['https://github.com', 'https://github.com:8443/acme/shop.git'],
    ['https://github.com', 'https://github.com@evil.example/acme/shop.git'],
    ['https://example.com/git', 'https://example.com/gitea/acme/shop.git'],
    ['https://github.com', 'https://github.com/acme'],
    ['https://github.com', 'https://github.com/acme/shop/pulls'],
    ['https://github.com', 'https://github.com/acme/..%2Fother'],
    ['https://github.com', 'https://github.com//shop'],
    ['https://github.com', '/srv/git/acme/shop.git'],
    ['https://github.com', 'not a URL'],
    ['not a URL', 'https://github.com/acme/shop.git'],
  ])('is none of %s: %s', (host, url) => {
    expect(repositoryOf({ type: 'github', url: host }, url)).toBeUndefined()
  })

  test.each([
    ['https://gitlab.com/acme/tools/shop.git', { owner: 'acme/tools', name: 'shop' }],
    ['https://gitlab.com/a/b/c/d/', { owner: 'a/b/c', name: 'd' }],
    ['https://gitlab.com/acme/shop/-/merge_requests', undefined],
    ['https://gitlab.com/acme//shop.git', undefined],
    ['https://gitlab.com/acme/../shop/x/..', undefined],
    ['https://gitlab.com/acme/%2e%2e%2fother/shop', undefined],
    [`https://gitlab.com/${'a/'.repeat(21)}shop`, undefined],
    [`https://gitlab.com/${`${'a'.repeat(90)}/`.repeat(3)}shop`, undefined],
    ['https://gitlab.com.evil.example/acme/tools/shop.git', undefined],
  ])('groups are in groups on GitLab: %s', (url, found) => {
    expect(repositoryOf({ type: 'gitlab', url: 'https://gitlab.com' }, url)).toEqual(found)
  })

  test('names are the same in upper and lower case', () => {
    expect(isSameText('Acme', 'acme')).toBe(true)
    expect(isSameText('acme', 'acme-2')).toBe(false)
  })
})

describe('the API of a code host', () => {
  test.each([
    [{ type: 'github', url: 'https://github.com', apiUrl: '' }, 'https://api.github.com'],
    [{ type: 'github', url: 'https://github.com/', apiUrl: '' }, 'https://api.github.com'],
    [{ type: 'github', url: 'https://ghe.example.com', apiUrl: '' }, 'https://ghe.example.com/api/v3'],
    [{ type: 'github', url: 'https://x.ghe.com', apiUrl: 'https://api.x.ghe.com/' }, 'https://api.x.ghe.com'],
    [{ type: 'gitea', url: 'https://example.com/git/', apiUrl: '' }, 'https://example.com/git/api/v1'],
    [{ type: 'gitlab', url: 'https://gitlab.com', apiUrl: '' }, 'https://gitlab.com/api/v4'],
  ] as const)('%j is at %s', (host, api) => {
    expect(apiUrlOf(host)).toBe(api)
  })
})
