import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'

export async function bodySizes(book: Book, api: Api): Promise<void> {
  book.error(
    'a body over 1 MiB is 413 RESOURCE_EXHAUSTED',
    await api.post('/v1/agents', { account: 'x'.repeat(1_100_000) }),
    8,
    413,
  )
  book.invalid(
    'a catalog write of 2 MiB is read (and refused for its contents, not its size)',
    await api.write('persona', 'huge', { prompt: 'x'.repeat(1_500_000) }),
  )
  book.error(
    'a catalog write over 4 MiB is 413 RESOURCE_EXHAUSTED',
    await api.post('/v1/catalog/persona/huge', { payload: 'A'.repeat(4_400_000) }),
    8,
    413,
  )
  const tries: unknown[] = []
  for (let count = 0; count < 12; count++)
    tries.push(
      await api.post('/v1/catalog/persona/huge', { payload: 'A'.repeat(8_000_000) }).then(
        ({ status: s }) => s,
        (error: Error) => `${error.message}: ${error.cause instanceof Error ? error.cause.message : ''}`,
      ),
    )
  book.equal(
    'the 413 reaches a client that is still sending (8 MB, 12 times, by fetch)',
    tries,
    tries.map(() => 413),
  )
}
