/** Changes every string in a JSON value, whatever its shape. */
export function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the shape stays, only texts are changed
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === 'string' ? change(part) : part,
  ) as Value
}
