import { base64, documentOf, type Api } from '../../api.ts'
import type { Book } from '../../book.ts'
import { BASE64, violations } from '../../shapes.ts'

export async function catalogDocuments(book: Book, api: Api): Promise<void> {
  const raw = (payload: unknown) => api.post('/v1/catalog/persona/binary', { payload })
  const tricky = base64({ prompt: '>>>???ÿÿÿ>' })
  book.row(
    'the test document needs both special digits and padding',
    /[+/]/.test(tricky) && tricky.endsWith('='),
    tricky,
  )
  book.ok('standard base64 is accepted', await raw(tricky))
  book.ok('base64 without padding is accepted', await raw(tricky.replace(/=+$/, '')))
  book.ok('URL-safe base64 is accepted', await raw(tricky.replaceAll('+', '-').replaceAll('/', '_')))
  const binary = (await api.read('persona', 'binary')).json.payload
  book.row(
    'and it comes back whole, in standard base64',
    documentOf(binary).prompt === '>>>???ÿÿÿ>' && BASE64.test(binary),
    binary,
  )
  book.invalid('a payload that is not base64 is INVALID_ARGUMENT', await raw('{"prompt":"x"}'), {
    field: 'payload',
  })
  book.invalid('a payload that is base64 of no JSON is INVALID_ARGUMENT', await raw(base64('prompt: x')), {
    field: 'payload',
  })
  book.invalid('a payload that is base64 of a JSON array is INVALID_ARGUMENT', await raw(base64([])), {
    field: 'payload',
  })
  book.invalid(
    'a payload that is base64 of no UTF-8 is INVALID_ARGUMENT',
    await raw(Buffer.from([0x22, 0xff, 0x22]).toString('base64')),
    { field: 'payload' },
  )
  book.invalid('a payload that is a JSON object itself is INVALID_ARGUMENT', await raw({ prompt: 'x' }), {
    field: 'payload',
  })
  const broken = await api.write('persona', 'broken', { promt: 'x', fastMode: 'yes', tasks: [{}] })
  book.invalid('a document that breaks its schema is INVALID_ARGUMENT', broken)
  book.row(
    '… with every violation listed',
    ['promt', 'fastMode', 'tasks[0].subject'].every((field) =>
      violations(broken.json).some((v) => v.field === field),
    ),
    broken.text,
  )
  book.ok(
    'a document that was read can be sent back: what the server sets is ignored',
    await api.post('/v1/catalog/persona/binary', {
      payload: (await api.read('persona', 'binary')).json.payload,
    }),
  )
  book.invalid(
    'a reference to what does not exist is INVALID_ARGUMENT',
    await api.write('workspace', 'dangling', { environment: 'not-there' }),
    { field: 'environment' },
  )
}
