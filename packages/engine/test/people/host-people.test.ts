import { expect, test } from 'vitest'
import { GITEA_PEOPLE } from '../../src/people/sources/gitea-people.ts'
import { GITHUB_PEOPLE } from '../../src/people/sources/github-people.ts'

/** Lists of organizations in pages of this size, whatever is asked for. */
function hostWith(pageSize: number, amount: number, toEntry: (id: number) => object) {
  const asked: string[] = []
  const read = async (path: string): Promise<unknown> => {
    asked.push(path)
    if (path === '/user') return { id: 7, login: 'ada' }
    if (path.startsWith('/user/teams')) return []
    const first = (Number(/[?&]page=(\d+)/.exec(path)?.[1]) - 1) * pageSize
    const length = Math.max(0, Math.min(pageSize, amount - first))
    return Array.from({ length }, (_, index) => toEntry(first + index + 1))
  }
  return { api: { read }, asked }
}

test('a Gitea with small pages shows all organizations of a person', async () => {
  const { api } = hostWith(7, 30, (id) => ({ id, username: `org-${id}` }))
  const { organizations } = await GITEA_PEOPLE.readPerson(api)
  expect(organizations.map(({ id }) => Number(id))).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
})

test('a Gitea whose list never ends is asked a bounded number of times', async () => {
  const { api, asked } = hostWith(1, Infinity, (id) => ({ id, username: `org-${id}` }))
  expect((await GITEA_PEOPLE.readPerson(api)).organizations).toHaveLength(20)
  expect(asked).toHaveLength(1 + 20 + 1)
})

test('GitHub is asked no further than to a page that is not full', async () => {
  const { api, asked } = hostWith(100, 30, (id) => ({
    state: 'active',
    organization: { id, login: `org-${id}` },
  }))
  expect((await GITHUB_PEOPLE.readPerson(api)).organizations).toHaveLength(30)
  expect(asked).toHaveLength(3)
})
