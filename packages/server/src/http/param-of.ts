/** A parameter of a path, for routes that read their input themselves. */
export function paramOf(params: unknown, name: string): string {
  const value: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, name) : ''
  return typeof value === 'string' ? value : ''
}
