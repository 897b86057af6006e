import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let server: TestServer
let tenant: TestTenant

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
})

afterAll(() => server.close())

const write = (kind: string, name: string, document: unknown) => tenant.admin.write(kind, name, document)
const patch = (kind: string, name: string, updateMask: string, document: unknown) =>
  tenant.admin.write(kind, name, document, { updateMask })

describe('a patch', () => {
  test('changes what the mask names and keeps everything else', async () => {
    await write('persona', 'p', { prompt: 'Old.', model: 'claude-x', fastMode: true })
    const { body, document } = await patch('persona', 'p', 'prompt', { prompt: 'New.', model: 'ignored' })
    expect(body['generation']).toBe('2')
    expect(document).toMatchObject({ prompt: 'New.', model: 'claude-x', fastMode: true })
  })

  test('takes zero values from the payload, and resets what the payload leaves out', async () => {
    await write('pool', 'zero', { maxRuns: 7, sandbox: 'process', description: 'x' })
    const { document } = await patch('pool', 'zero', 'maxRuns,sandbox,description', { maxRuns: 0 })
    expect(document).toMatchObject({ maxRuns: 0, sandbox: 'bubblewrap', description: '' })
  })

  test('without a payload resets every field of the mask', async () => {
    await write('persona', 'empty', { prompt: 'x', model: 'y' })
    const answer = await tenant.admin.post('/v1/catalog/persona/empty', { updateMask: 'prompt' })
    expect(answer.document).toMatchObject({ prompt: '', model: 'y' })
  })

  test('reaches into objects and the keys of maps', async () => {
    await write('environment', 'e', { variables: { A: '1', B: '2', C: '3' } })
    const answer = await patch('environment', 'e', 'variables.A,variables.B,variables.D', {
      variables: { A: 'one', D: 'four', C: 'ignored' },
    })
    expect(answer.document['variables']).toEqual({ A: 'one', C: '3', D: 'four' })
  })

  test('of * is a full replacement', async () => {
    await write('persona', 'star', { prompt: 'Old.', model: 'x' })
    expect((await patch('persona', 'star', '*', { prompt: 'New.' })).document).toMatchObject({ model: '' })
  })

  test('of what only the service sets changes nothing of it', async () => {
    await write('persona', 'server-set', {})
    const answer = await patch('persona', 'server-set', 'metadata', { metadata: { name: 'other' } })
    expect(answer.document).toMatchObject({ metadata: { name: 'server-set', updatedBy: 'ada' } })
  })

  test('of a built-in starts from the built-in, and shadows it', async () => {
    const { body, document } = await patch('quota', 'default', 'liveAgents', { liveAgents: 5 })
    expect(body['generation']).toBe('1')
    expect(document).toMatchObject({ liveAgents: 5, tasksPerAgent: 500 })
  })

  test('keeps the schema’s order of fields', async () => {
    await write('persona', 'ordered', { prompt: 'x' })
    const { document } = await patch('persona', 'ordered', 'description', { description: 'first' })
    expect(Object.keys(document)).toEqual([
      'description',
      'prompt',
      'model',
      'reasoningEffort',
      'serviceTier',
      'fastMode',
      'outputSchema',
      'tasks',
      'metadata',
    ])
  })
})

describe('an update mask', () => {
  test.each([
    ['an empty path', 'prompt,'],
    ['an empty segment', 'prompt..x'],
    ['blanks', 'prompt, model'],
    ['brackets', 'tasks[0]'],
    ['a star among others', 'prompt,*'],
    ['a path that is too deep', Array.from({ length: 33 }, () => 'a').join('.')],
    ['an unknown field', 'promt'],
    ['a field in another spelling', 'reasoning_effort'],
    ['a field within a plain value', 'prompt.length'],
    ['a field within a list', 'tasks.subject'],
    ['a prototype', '__proto__'],
    ['what every object inherits', 'constructor'],
  ])('is refused for %s', async (_case, mask) => {
    await write('persona', 'masked', { prompt: 'Kept.' })
    const answer = await patch('persona', 'masked', mask, { prompt: 'Lost.' })
    expect(answer).toMatchObject({ status: 400, reason: 'UPDATE_MASK_INVALID', fields: ['updateMask'] })
    expect((await tenant.admin.read('persona', 'masked')).document['prompt']).toBe('Kept.')
  })

  test('is refused for a key that the map cannot have', async () => {
    await write('environment', 'keys', {})
    const answer = await patch('environment', 'keys', 'variables.__proto__', {})
    expect(answer).toMatchObject({ status: 400, reason: 'UPDATE_MASK_INVALID' })
  })
})

describe('the payload of a patch', () => {
  test('is refused for a misspelt field, which would read as absent and reset the one that was meant', async () => {
    await write('persona', 'typo', { prompt: 'Kept.' })
    const answer = await patch('persona', 'typo', 'prompt', { promt: 'Lost.' })
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', fields: ['promt'] })
    expect((await tenant.admin.read('persona', 'typo')).document['prompt']).toBe('Kept.')
  })

  test('is refused for a misspelt field inside another', async () => {
    await write('pool', 'typo', { build: { name: 'kept' } })
    const answer = await patch('pool', 'typo', 'build.name', { build: { nmae: 'lost' } })
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID', fields: ['build.nmae'] })
    expect((await tenant.admin.read('pool', 'typo')).document['build']).toEqual({ name: 'kept' })
  })

  test('is refused for a thousand misspelt fields without listing them all', async () => {
    await write('persona', 'flood', {})
    const flood = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, 1]))
    const answer = await patch('persona', 'flood', 'prompt', flood)
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID' })
    expect(answer.fields).toHaveLength(100)
  })

  test('is refused for a value that breaks the schema, and nothing is written', async () => {
    await write('pool', 'broken', { maxRuns: 3 })
    const answer = await patch('pool', 'broken', 'maxRuns,sandbox', { maxRuns: -1, sandbox: 'cage' })
    expect(answer).toMatchObject({ status: 400, reason: 'DOCUMENT_INVALID' })
    expect([...answer.fields].sort()).toEqual(['maxRuns', 'sandbox'])
    expect((await tenant.admin.read('pool', 'broken')).body['generation']).toBe('1')
  })
})
