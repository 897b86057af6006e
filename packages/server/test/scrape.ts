import type { TestServer } from '@skein/testkit'

/** One scrape, as a map from `name{labels}` to its value. */
export async function scrape({ app }: Pick<TestServer, 'app'>): Promise<ReadonlyMap<string, number>> {
  const { body } = await app.inject('/metrics')
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}
