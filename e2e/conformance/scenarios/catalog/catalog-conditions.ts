import { base64, type Api } from '../../api.ts'
import { shown, type Book } from '../../book.ts'

export async function catalogConditions(book: Book, api: Api): Promise<void> {
  const patch = (fields: object, updateMask: string, more?: Record<string, unknown>) =>
    api.patch('persona', 'one', fields, updateMask, more)
  const at = async () => (await api.read('persona', 'one')).json.generation
  let generation = await at()
  const matched = await patch({ model: 'claude-opus-5' }, 'model', { ifGenerationMatch: generation })
  book.row(
    'ifGenerationMatch that matches commits, and answers the generation that it made',
    matched.status === 200 && matched.json.generation === String(BigInt(generation) + 1n),
    shown(matched),
  )
  const chained = await patch({ model: '' }, 'model', { ifGenerationMatch: matched.json.generation })
  book.ok('the generation of an answer can be used for the next conditional write', chained)
  generation = await at()
  const stale = await api.write('persona', 'one', { prompt: 'Must not be seen' }, { ifGenerationMatch: '1' })
  book.precondition('ifGenerationMatch that differs is FAILED_PRECONDITION', stale)
  book.row(
    '… and nothing is written',
    (await at()) === generation && (await api.readDocument('persona', 'one')).prompt !== 'Must not be seen',
  )
  book.ok(
    'a 64-bit integer may also come as a bare number',
    await patch({}, 'model', { ifGenerationMatch: Number(generation) }),
  )
  generation = await at()
  book.ok('unset: the write is unconditional', await patch({}, 'model'))
  book.precondition(
    'ifGenerationMatch 0 of what exists is FAILED_PRECONDITION',
    await api.write('persona', 'one', {}, { ifGenerationMatch: '0' }),
  )
  book.precondition(
    'ifGenerationMatch 0 as a bare number, too',
    await api.write('persona', 'one', {}, { ifGenerationMatch: 0 }),
  )
  book.equal(
    'ifGenerationMatch 0 creates what does not exist',
    (await api.write('persona', 'atomic', {}, { ifGenerationMatch: '0' })).json.generation,
    '1',
  )
  const race = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      api.write('persona', 'raced', { prompt: String(index) }, { ifGenerationMatch: '0' }),
    ),
  )
  book.equal(
    'of six atomic creates at once exactly one commits',
    race.map(({ status }) => String(status)).sort(),
    ['200', '400', '400', '400', '400', '400'],
  )
  const race2 = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      api.write('persona', 'raced', { prompt: String(index) }, { ifGenerationMatch: '1' }),
    ),
  )
  book.equal(
    'of six conditional writes at once exactly one commits',
    race2.map(({ status }) => String(status)).sort(),
    ['200', '400', '400', '400', '400', '400'],
  )
  book.precondition(
    'a condition on what does not exist is FAILED_PRECONDITION',
    await api.write('persona', 'not-there', {}, { ifGenerationMatch: '3' }),
  )
  book.invalid(
    'ifGenerationMatch negative is INVALID_ARGUMENT (string)',
    await api.write('persona', 'one', {}, { ifGenerationMatch: '-1' }),
    { field: 'ifGenerationMatch' },
  )
  book.invalid(
    'ifGenerationMatch negative is INVALID_ARGUMENT (number)',
    await api.write('persona', 'one', {}, { ifGenerationMatch: -1 }),
    { field: 'ifGenerationMatch' },
  )
  book.precondition(
    'ifGenerationMatch 2^63-1 is a 64-bit integer like any other: FAILED_PRECONDITION',
    await api.write('persona', 'one', {}, { ifGenerationMatch: '9223372036854775807' }),
  )
}

export async function conditionNumbers(book: Book, api: Api): Promise<void> {
  const digits = await api.call('POST', '/v1/catalog/persona/one', undefined, {
    raw: `{"payload":"${base64({})}","ifGenerationMatch":9007199254740993}`,
  })
  book.row(
    'a bare integer beyond 2^53 keeps every digit',
    digits.json.code === 9 && digits.text.includes('9007199254740993'),
    shown(digits),
  )
  for (const [name, text] of [
    ['2^63', '"9223372036854775808"'],
    ['a fraction', '1.5'],
    ['an exponent', '1e0'],
    ['a string with an exponent', '"1e0"'],
    ['an empty string', '""'],
    ['a word', '"one"'],
    ['hexadecimal', '"0x1"'],
    ['a boolean', 'true'],
    ['surrounded by blanks', '" 1"'],
  ]) {
    book.invalid(
      `ifGenerationMatch that is ${name} is INVALID_ARGUMENT`,
      await api.call('POST', '/v1/catalog/persona/one', undefined, {
        raw: `{"payload":"${base64({})}","ifGenerationMatch":${text}}`,
      }),
    )
  }
}
