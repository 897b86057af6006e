import { documentOf, type Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { RFC3339_UTC_MS, BASE64, keysOf } from '../../shapes.ts'

export async function catalogWrites(book: Book, api: Api): Promise<void> {
  const created = await api.write(
    'persona',
    'one',
    { prompt: 'First.', model: 'claude-opus-5', fastMode: true, tasks: [{ subject: 'Look' }] },
    { justification: 'because of conformance' },
  )
  book.ok('a write creates a resource, with 200', created)
  book.equal('the answer to a write has exactly payload and generation', keysOf(created.json), [
    'generation',
    'payload',
  ])
  book.equal('generation is a string, and 1 for the first version', created.json.generation, '1')
  book.row('payload is standard base64 with padding', BASE64.test(created.json.payload), created.text)
  const document = documentOf(created.json.payload)
  book.row(
    'the answer has the resource as persisted, with what the server adds',
    document.prompt === 'First.' &&
      document.metadata?.name === 'one' &&
      RFC3339_UTC_MS.test(document.metadata.createTime) &&
      RFC3339_UTC_MS.test(document.metadata.updateTime) &&
      document.metadata.updatedBy !== '' &&
      document.metadata.generation === '1',
    document,
  )
  const got = await api.read('persona', 'one')
  book.ok('a read answers 200', got)
  book.equal('a read has exactly kind, payload, inputFormat, generation', keysOf(got.json), [
    'generation',
    'inputFormat',
    'kind',
    'payload',
  ])
  book.equal('the payload that is read is the one that was stored', got.json.payload, created.json.payload)
  book.row(
    'kind, inputFormat and generation of the read',
    got.json.kind === 'persona' &&
      got.json.inputFormat === 'INPUT_FORMAT_MARKDOWN' &&
      got.json.generation === '1',
    got.text,
  )
  const trail = await api.get<{ entries: { justification: string }[] }>('/v1/audit?kind=persona&name=one')
  book.equal(
    'the justification is in the audit log',
    trail.json.entries?.[0]?.justification,
    'because of conformance',
  )
  book.ok('a justification is optional otherwise', await api.write('persona', 'unjustified', {}))
  book.notFound('an unknown name is NOT_FOUND', await api.read('persona', 'nobody'))
  book.notFound('an unknown kind is NOT_FOUND', await api.read('gadget', 'x'))
  book.notFound('a write to an unknown kind is NOT_FOUND', await api.write('gadget', 'x', {}))
  book.invalid('a name that cannot be one is INVALID_ARGUMENT', await api.read('persona', 'Not_A_Name'), {
    field: 'ref.name',
  })
  await api.write('environment', 'one', { setupScript: 'true' })
  book.row(
    'a name is one within its kind',
    (await api.readDocument('environment', 'one')).setupScript === 'true' &&
      (await api.readDocument('persona', 'one')).prompt === 'First.',
  )
}
