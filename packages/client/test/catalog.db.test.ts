import { afterAll, beforeAll, expect, test } from 'vitest'
import { SkeinApiError } from '../src/index.ts'
import { collect, startSkeinWorld, type SkeinWorld } from './skein-world.ts'

let world: SkeinWorld
beforeAll(async () => {
  world = await startSkeinWorld()
})
afterAll(() => world.close())

const reasonOf = (error: unknown): string => (error instanceof SkeinApiError ? error.reason : String(error))

test('the kinds come with their schemas', async () => {
  const kinds = await world.skein.catalog.kinds()
  expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['persona', 'workspace', 'token']))
  expect(kinds.every(({ schema }) => schema['type'] === 'object')).toBe(true)
})

test('a document is written, read, changed in part and deleted, whatever is written in it', async () => {
  const { catalog } = world.skein
  const prompt = `Grüße, 世界 🧵 ${'long '.repeat(10_000)}`
  const written = await catalog.put(
    'persona',
    'whole',
    { prompt, description: 'First.' },
    { ifGeneration: 0 },
  )
  expect(written).toMatchObject({ kind: 'persona', name: 'whole', generation: '1', isBuiltIn: false })
  expect(written.document).toMatchObject({ prompt, description: 'First.' })
  expect(await catalog.get('persona', 'whole')).toEqual(written)
  const patched = await catalog.patch(
    'persona',
    'whole',
    { description: 'Second.' },
    { mask: ['description'], ifGeneration: written.generation },
  )
  expect(patched.document).toMatchObject({ prompt, description: 'Second.' })
  await catalog.delete('persona', 'whole', { ifGeneration: patched.generation })
  expect(await catalog.get('persona', 'whole').catch(reasonOf)).toBe('RESOURCE_NOT_FOUND')
})

test('a write that was based on an older version is refused and nothing is written', async () => {
  const { catalog } = world.skein
  await catalog.put('persona', 'guarded', { prompt: 'One.' })
  await catalog.put('persona', 'guarded', { prompt: 'Two.' })
  const stale = { ifGeneration: '1' }
  const outcomes = await Promise.all([
    catalog.put('persona', 'guarded', { prompt: 'Three.' }, stale).catch(reasonOf),
    catalog.patch('persona', 'guarded', { prompt: 'Three.' }, { ...stale, mask: ['prompt'] }).catch(reasonOf),
    catalog.delete('persona', 'guarded', stale).catch(reasonOf),
  ])
  expect(outcomes).toEqual(['GENERATION_MISMATCH', 'GENERATION_MISMATCH', 'GENERATION_MISMATCH'])
  expect((await catalog.get('persona', 'guarded')).document).toMatchObject({ prompt: 'Two.' })
})

test('a patch without a field is not taken for a replacement', () => {
  expect(() => world.skein.catalog.patch('persona', 'guarded', {}, { mask: [] })).toThrow(TypeError)
})

test('lists go through all pages, with what comes with Skein marked', async () => {
  const { catalog } = world.skein
  for (const name of ['l1', 'l2', 'l3']) await catalog.put('persona', name, { prompt: name })
  const all = await collect(catalog.list('persona', { pageSize: 2 }))
  expect(all.filter(({ name }) => /^l\d$/.test(name)).map(({ document }) => document['prompt'])).toEqual([
    'l1',
    'l2',
    'l3',
  ])
  const backends = await collect(catalog.list('backend'))
  expect(backends.length).toBeGreaterThan(0)
  expect(backends.every(({ isBuiltIn, generation }) => isBuiltIn && generation === '0')).toBe(true)
  const [backend] = backends
  expect(await catalog.get('backend', backend?.name ?? '')).toEqual(backend)
})

test('the history has every version, newest first, the deletion too', async () => {
  const { catalog } = world.skein
  await catalog.put('persona', 'old', { prompt: 'One.' }, { justification: 'to begin' })
  await catalog.put('persona', 'old', { prompt: 'Two.' })
  await catalog.delete('persona', 'old')
  const versions = await collect(catalog.history('persona', 'old', { pageSize: 1 }))
  expect(versions.map(({ action, document }) => [action, document['prompt']])).toMatchObject([
    ['ACTION_DELETED', expect.anything()],
    ['ACTION_UPDATED', 'Two.'],
    ['ACTION_CREATED', 'One.'],
  ])
  expect(versions.at(-1)?.justification).toBe('to begin')
})

test('a page of the history is read by its token, again if need be', async () => {
  const { catalog } = world.skein
  for (const prompt of ['One.', 'Two.', 'Three.']) await catalog.put('persona', 'paged', { prompt })
  const { entries, nextPageToken } = await catalog.listHistory('persona', 'paged', { pageSize: 2 })
  expect(entries.map(({ document }) => document['prompt'])).toEqual(['Three.', 'Two.'])
  const options = { pageSize: 2, pageToken: nextPageToken }
  const last = await catalog.listHistory('persona', 'paged', options)
  expect(last).toMatchObject({ entries: [{ document: { prompt: 'One.' } }], nextPageToken: '' })
  expect(await catalog.listHistory('persona', 'paged', options)).toEqual(last)
})

test('an operator writes another tenant’s catalog, and reads it', async () => {
  const other = await world.server.createTenant()
  const operator = world.connect({ apiKey: world.tenant.operator.key ?? '' })
  const { tenant } = other
  const justification = 'support'
  await operator.catalog.put('persona', 'theirs', { prompt: 'Hi.' }, { tenant, justification })
  expect((await operator.catalog.get('persona', 'theirs', { tenant })).generation).toBe('1')
  expect(await world.skein.catalog.get('persona', 'theirs').catch(reasonOf)).toBe('RESOURCE_NOT_FOUND')
  await operator.catalog.delete('persona', 'theirs', { tenant, justification })
})
