import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { ok, PATCH_SCHEMA, ScimWorld } from './scim-world.ts'

let scim: ScimWorld

beforeAll(async () => {
  scim = await ScimWorld.start()
})

afterAll(() => scim.close())

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

test.each([
  'ServiceProviderConfig',
  'ResourceTypes',
  'ResourceTypes/User',
  'Schemas',
  `Schemas/${USER}`,
  `Schemas/${GROUP}`,
])('%s says what is supported', async (path) => {
  const answer = ok(await scim.send('GET', `/${path}`))
  expect(answer.type).toBe('application/scim+json; charset=utf-8')
  expect(answer.body['schemas']).toHaveLength(1)
})

describe('what Entra ID sends', () => {
  test('its test of the connection finds nobody', async () => {
    const { body } = ok(await scim.find('Users', 'userName eq "5f6cd4ab-0000-4f56-b0ae-e1ff3b0bd1b5"'))
    expect(body).toMatchObject({ schemas: [LIST], totalResults: 0, Resources: [] })
  })

  test('a user is created, found, changed and deactivated', async () => {
    const created = ok(
      await scim.send('POST', '/Users', {
        schemas: [USER, ENTERPRISE],
        externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
        userName: 'Test_User_ab6490ee@acme.example.com',
        active: true,
        displayName: 'BillG',
        emails: [{ primary: true, type: 'work', value: 'bill@acme.example.com' }],
        meta: { resourceType: 'User' },
        name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
        roles: [{ value: 'operator' }],
        [ENTERPRISE]: { department: 'x', manager: { value: '1' } },
      }),
    )
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      schemas: [USER],
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@acme.example.com',
      active: true,
      displayName: 'BillG',
      name: { familyName: 'familyName', givenName: 'givenName' },
      emails: [{ primary: true, type: 'work', value: 'bill@acme.example.com' }],
      meta: {
        resourceType: 'User',
        created: expect.any(String) as string,
        lastModified: expect.any(String) as string,
        location: `http://127.0.0.1:8080/v1/scim/Users/${created.id}`,
      },
    })
    const found = ok(await scim.find('Users', 'userName eq "test_user_AB6490EE@acme.example.com"'))
    expect(found.body).toMatchObject({
      totalResults: 1,
      startIndex: 1,
      itemsPerPage: 1,
      Resources: [created.body],
    })
    const patched = ok(
      await scim.patch(
        `/Users/${created.id}`,
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@acme.example.com' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
        { op: 'Add', path: `${ENTERPRISE}:department`, value: 'y' },
        {
          op: 'Add',
          value: { displayName: 'Bill', 'name.givenName': 'Bill', [`${ENTERPRISE}:employeeNumber`]: '7' },
        },
      ),
    )
    expect(patched.body).toMatchObject({
      displayName: 'Bill',
      name: { familyName: 'updatedFamilyName', givenName: 'Bill' },
      emails: [{ value: 'updated@acme.example.com' }],
    })
    const off = ok(
      await scim.patch(`/Users/${created.id}`, { op: 'Replace', path: 'active', value: 'False' }),
    )
    expect(off.body).toMatchObject({ active: false })
    const on = ok(await scim.patch(`/Users/${created.id}`, { op: 'Replace', path: 'active', value: 'True' }))
    expect(on.body).toMatchObject({ active: true })
    expect((await scim.send('DELETE', `/Users/${created.id}`)).status).toBe(204)
    expect((await scim.send('GET', `/Users/${created.id}`)).status).toBe(404)
  })

  test('a group is created, given members one by one, renamed and deleted', async () => {
    const [one, two] = [await scim.user('entra-1'), await scim.user('entra-2')]
    const { id, body } = ok(
      await scim.send('POST', '/Groups', {
        schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'Platform',
        meta: { resourceType: 'Group' },
      }),
    )
    expect(body).toMatchObject({ schemas: [GROUP], displayName: 'Platform', members: [] })
    for (const value of [one, two]) {
      const added = await scim.patch(`/Groups/${id}`, {
        op: 'Add',
        path: 'members',
        value: [{ $ref: null, value }],
      })
      expect(added.status).toBe(204)
    }
    const without = ok(
      await scim.send(
        'GET',
        `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "platform"')}`,
      ),
    )
    expect(without.body).toMatchObject({ totalResults: 1, Resources: [{ id, displayName: 'Platform' }] })
    expect(without.text).not.toContain('members')
    const isMember = `id eq "${id}" and members eq "${one}"`
    expect(ok(await scim.find('Groups', isMember)).body['totalResults']).toBe(1)
    ok(
      await scim.patch(`/Groups/${id}`, {
        op: 'Remove',
        path: 'members',
        value: [{ $ref: null, value: one }],
      }),
    )
    expect(ok(await scim.find('Groups', isMember)).body['totalResults']).toBe(0)
    ok(await scim.patch(`/Groups/${id}`, { op: 'Replace', path: 'displayName', value: 'Platform 2' }))
    expect(ok(await scim.send('GET', `/Groups/${id}`)).body).toMatchObject({
      displayName: 'Platform 2',
      members: [{ value: two, display: 'entra-2@acme.example.com' }],
    })
    expect((await scim.send('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await scim.send('GET', `/Groups/${id}`)).status).toBe(404)
  })
})

describe('what Okta sends', () => {
  test('a user is looked up, created, replaced and deactivated', async () => {
    const filter = 'userName eq "okta@acme.example.com"'
    expect(
      ok(await scim.send('GET', `/Users?filter=${encodeURIComponent(filter)}&startIndex=1&count=100`)).body[
        'totalResults'
      ],
    ).toBe(0)
    const body = {
      schemas: [USER],
      userName: 'okta@acme.example.com',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'okta@acme.example.com', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    }
    const { id, status, text } = await scim.send('POST', '/Users', body)
    expect(status).toBe(201)
    expect(text).not.toContain('1mz050nq')
    const again = await scim.send('POST', '/Users', body)
    expect(again).toMatchObject({
      status: 409,
      body: { schemas: [ERROR], status: '409', scimType: 'uniqueness' },
    })
    const put = ok(
      await scim.send('PUT', `/Users/${id}`, { ...body, id, name: { givenName: 'Another' }, active: false }),
    )
    expect(put.body).toMatchObject({ active: false, name: { givenName: 'Another' } })
    expect(put.text).not.toContain('familyName')
    const { active: _, ...silent } = body
    expect(ok(await scim.send('PUT', `/Users/${id}`, silent)).body).toMatchObject({ active: false })
    const patched = ok(await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } }))
    expect(patched.body).toMatchObject({ active: true })
  })

  test('a pushed group gets and loses members', async () => {
    const [one, two] = [await scim.user('okta-1'), await scim.user('okta-2')]
    const id = await scim.group('Everyone', one)
    ok(
      await scim.patch(
        `/Groups/${id}`,
        { op: 'remove', path: `members[value eq "${one}"]` },
        { op: 'add', path: 'members', value: [{ value: two, display: 'okta-2@acme.example.com' }] },
      ),
    )
    expect(ok(await scim.send('GET', `/Groups/${id}`)).body['members']).toEqual([
      { value: two, display: 'okta-2@acme.example.com' },
    ])
    ok(await scim.patch(`/Groups/${id}`, { op: 'replace', value: { id, displayName: 'All of us' } }))
    ok(await scim.patch(`/Groups/${id}`, { op: 'replace', path: 'members', value: [{ value: one }] }))
    expect(ok(await scim.send('GET', `/Groups/${id}`)).body).toMatchObject({
      displayName: 'All of us',
      members: [{ value: one }],
    })
    ok(await scim.send('PUT', `/Groups/${id}`, { schemas: [GROUP], displayName: 'All', members: [] }))
    expect(ok(await scim.send('GET', `/Groups/${id}`)).body['members']).toEqual([])
  })

  test('lists come in pages, oldest first', async () => {
    const all = ok(await scim.send('GET', '/Users?count=200')).body
    const pages: unknown[] = []
    const total = Number(all['totalResults'])
    for (let startIndex = 1; startIndex <= total; startIndex += 2) {
      const { body } = ok(await scim.send('GET', `/Users?startIndex=${startIndex}&count=2`))
      expect(body).toMatchObject({ totalResults: total, startIndex })
      pages.push(...(body['Resources'] as unknown[]))
    }
    expect(pages).toEqual(all['Resources'])
    expect(ok(await scim.send('GET', '/Users?count=0')).body).toMatchObject({
      totalResults: total,
      Resources: [],
    })
  })
})

describe('a request', () => {
  test('is closed to every other key, and the key opens nothing else', async () => {
    const { admin } = scim.tenant
    for (const key of [admin.key, scim.tenant.operator.key, 'skn_x.y']) {
      const answer = await scim.send('GET', '/Users', undefined, key)
      expect([401, 403]).toContain(answer.status)
      expect(answer.body).toMatchObject({ schemas: [ERROR], status: String(answer.status) })
    }
    const client = scim.tenant.client(scim.key)
    for (const path of ['/v1/whoami', '/v1/catalog', '/v1/audit', '/v1/leavers']) {
      expect((await client.get(path)).status).toBe(403)
    }
    expect((await client.write('token', 'mine', { account: 'x', role: 'admin' })).status).toBe(403)
    const session = { apiKey: scim.key, pageSecret: 'p'.repeat(43) }
    expect((await scim.server.anonymous.post('/v1/session', session)).status).toBe(403)
  })

  test('of another tenant finds and changes nothing', async () => {
    const other = await scim.server.createTenant('other')
    await scim.world.provide('sso', { issuer: scim.issuer.issuer }, other)
    const key = String(must(await other.admin.write('directory', 'sso', {})).document['key'])
    const id = await scim.user('mine')
    const group = await scim.group('Mine', id)
    expect(ok(await scim.send('GET', '/Users', undefined, key)).body['totalResults']).toBe(0)
    for (const [method, path, body] of [
      ['GET', `/Users/${id}`],
      ['PUT', `/Users/${id}`, { userName: 'taken' }],
      ['PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value: { active: false } }] }],
      ['DELETE', `/Users/${id}`],
      ['GET', `/Groups/${group}`],
      ['DELETE', `/Groups/${group}`],
    ] as const) {
      expect((await scim.send(method, path, body, key)).status).toBe(404)
    }
    const foreign = await scim.send('POST', '/Groups', { displayName: 'x', members: [{ value: id }] }, key)
    expect(foreign).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect(ok(await scim.send('GET', `/Users/${id}`)).body).toMatchObject({ active: true })
  })

  test.each([
    ['with NUL in a name', '{"userName":"a\\u0000b"}', 400],
    ['with a lone surrogate', '{"userName":"a\\ud800b"}', 400],
    ['with a control character', { userName: 'a\nb' }, 400],
    ['with a name of endless length', { userName: 'x'.repeat(256) }, 400],
    ['without a name', { externalId: 'x' }, 400],
    ['with a number as a name', { userName: 7 }, 400],
    ['with a list', [], 400],
    ['that is no JSON', '{', 400],
    ['larger than a megabyte', { userName: 'x', title: 'y'.repeat(1_100_000) }, 413],
  ])('%s is refused', async (_what, body, status) => {
    const answer = await scim.send('POST', '/Users', body)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ schemas: [ERROR], status: String(status) })
  })

  test.each([
    ['another operator', 'userName co "a"'],
    ['an or', 'userName eq "a" or userName eq "b"'],
    ['brackets', '('.repeat(500) + 'userName eq "a"' + ')'.repeat(500)],
    ['too many conditions', Array(5).fill('userName eq "a"').join(' and ')],
    ['an unknown attribute', 'password eq "a"'],
    ['an endless text', `userName eq "${'a'.repeat(2000)}"`],
    ['NUL', 'userName eq "a\\u0000"'],
    ['a lone surrogate', 'userName eq "\\ud800"'],
    ['an open text', 'userName eq "a'],
    ['nothing', ' '],
  ])('with %s in its filter is refused', async (_what, filter) => {
    expect(await scim.find('Users', filter)).toMatchObject({
      status: 400,
      body: { scimType: 'invalidFilter' },
    })
  })

  test('for all groups of a member is refused, because it would read them all', async () => {
    const answer = await scim.find('Groups', 'members eq "0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10"')
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } })
  })

  test.each([
    [
      'too many operations',
      Array.from({ length: 501 }, () => ({ op: 'replace', path: 'active', value: true })),
      400,
    ],
    ['no operation', [], 400],
    ['an unknown operation', [{ op: 'move', path: 'active' }], 400],
    ['a path that is none', [{ op: 'replace', path: 'a b', value: 1 }], 400],
    ['a removal of everything', [{ op: 'remove' }], 400],
    ['a text as active', [{ op: 'replace', path: 'active', value: 'perhaps' }], 400],
    ['a removal of active', [{ op: 'remove', path: 'active' }], 400],
    ['a removal of the name', [{ op: 'remove', path: 'userName' }], 400],
  ])('with %s changes nothing', async (_what, operations, status) => {
    const id = await scim.user(`patched-${Math.random()}`)
    const before = ok(await scim.send('GET', `/Users/${id}`)).text
    const answer = await scim.send('PATCH', `/Users/${id}`, {
      schemas: [PATCH_SCHEMA],
      Operations: operations,
    })
    expect(answer.status).toBe(status)
    expect(ok(await scim.send('GET', `/Users/${id}`)).text).toBe(before)
  })

  test('with members who are no users is refused, and so are too many at once', async () => {
    const id = await scim.group('Strict')
    for (const value of ['0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10', 'x', '', id]) {
      const answer = await scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value: [{ value }] })
      expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    }
    const value = Array.from({ length: 10_001 }, () => ({ value: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10' }))
    expect((await scim.patch(`/Groups/${id}`, { op: 'add', path: 'members', value })).body).toMatchObject({
      scimType: 'tooMany',
    })
  })

  test('twice at once creates one user', async () => {
    const body = { userName: 'twice@acme.example.com' }
    const answers = await Promise.all([1, 2, 3].map(() => scim.send('POST', '/Users', body)))
    expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([201, 409, 409])
  })

  test('that changes something is in the audit log, by the directory', async () => {
    await scim.user('audited')
    const { text } = must(await scim.tenant.admin.get('/v1/audit?operation=createScimUser'))
    expect(text).toContain('audited@acme.example.com')
    expect(text).toContain('directory/sso')
  })
})

describe('the key of a directory', () => {
  test('is shown once, can be rotated, and ends with its directory', async () => {
    const { admin } = scim.tenant
    await scim.world.provide('spare', { issuer: scim.issuer.issuer })
    const first = String(must(await admin.write('directory', 'spare', {})).document['key'])
    expect(must(await admin.read('directory', 'spare')).text).not.toContain(first.split('.')[1])
    ok(await scim.send('POST', '/Users', { userName: 'spare' }, first))
    const rotated = must(await admin.write('directory', 'spare', { keyVersion: 2, overlap: '60s' }))
    const second = String(rotated.document['key'])
    ok(await scim.send('GET', '/Users', undefined, second))
    ok(await scim.send('GET', '/Users', undefined, first))
    // What one directory sends, another one does not see.
    expect(ok(await scim.find('Users', 'userName eq "spare"')).body['totalResults']).toBe(0)
    expect((await admin.delete('/v1/catalog/identity-provider/spare')).reason).toBe('RESOURCE_REFERENCED')
    must(await admin.delete('/v1/catalog/directory/spare'))
    await expect
      .poll(async () => (await scim.send('GET', '/Users', undefined, second)).status, { timeout: 6_000 })
      .toBe(401)
  })

  test('is not given to a directory without an identity provider of its name, or by a viewer', async () => {
    expect(await scim.tenant.admin.write('directory', 'nobody', {})).toMatchObject({
      reason: 'DOCUMENT_INVALID',
    })
    const viewer = await scim.tenant.as('member')
    expect((await viewer.write('directory', 'sso', {})).status).toBe(403)
  })
})
