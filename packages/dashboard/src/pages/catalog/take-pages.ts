/** Some of what a source yields, and the source itself where it has more. */
export interface TakenPage<Item> {
  readonly items: readonly Item[]
  readonly rest: AsyncGenerator<Item, void> | undefined
}

export async function takePage<Item>(
  source: AsyncGenerator<Item, void>,
  size: number,
): Promise<TakenPage<Item>> {
  const items: Item[] = []
  while (items.length < size) {
    const next = await source.next()
    if (next.done === true) return { items, rest: undefined }
    items.push(next.value)
  }
  return { items, rest: source }
}
