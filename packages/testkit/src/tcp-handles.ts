/** All TCP handles that keep this process alive, such as `127.0.0.1:4000 (listening)` or `… to 127.0.0.1:5432`. */
export function describeTcpHandles(): string[] {
  const report: unknown = process.report.getReport()
  const handles = field(report, 'libuv')
  if (!Array.isArray(handles)) return []
  return handles
    .filter((handle: unknown) => field(handle, 'type') === 'tcp' && field(handle, 'is_referenced') === true)
    .map((handle: unknown) => {
      const remote = endpoint(field(handle, 'remoteEndpoint'))
      const local = endpoint(field(handle, 'localEndpoint')) ?? 'unknown'
      return remote === undefined ? `${local} (listening)` : `${local} to ${remote}`
    })
}

function endpoint(value: unknown): string | undefined {
  const host = field(value, 'host')
  const port = field(value, 'port')
  return typeof host === 'string' && typeof port === 'number' ? `${host}:${port}` : undefined
}

function field(value: unknown, name: string): unknown {
  return value instanceof Object ? Reflect.get(value, name) : undefined
}
