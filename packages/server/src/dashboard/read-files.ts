import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of the dashboard's build, ready to send. */
export interface BuiltFile {
  readonly type: string
  readonly etag: string
  readonly body: Buffer
  /** The same, compressed by the build. */
  readonly br?: Buffer
  readonly gzip?: Buffer
}

/** By URL path, such as `/assets/main-1a2b.js`. */
export type BuiltFiles = ReadonlyMap<string, BuiltFile>

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
}

/**
 * The whole build, read once: it is small, and only paths in this map can be requested, whatever dots and escapes a
 * URL contains. Undefined without a build.
 */
export async function readBuiltFiles(folder: string): Promise<BuiltFiles | undefined> {
  const contents = await readFolder(folder)
  if (!contents?.has('/index.html')) return undefined
  const files = new Map<string, BuiltFile>()
  for (const [path, body] of contents) {
    const type = TYPES[extname(path)]
    if (type === undefined) continue
    const [br, gzip] = [contents.get(`${path}.br`), contents.get(`${path}.gz`)]
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
    files.set(path, { type, etag, body, ...(br && { br }), ...(gzip && { gzip }) })
  }
  return files
}

async function readFolder(folder: string): Promise<Map<string, Buffer> | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined)
  if (!entries) return undefined
  const contents = new Map<string, Buffer>()
  // Skips links: their targets are not part of the build.
  for (const entry of entries.filter((found) => found.isFile())) {
    const file = join(entry.parentPath, entry.name)
    contents.set(`/${file.slice(join(folder, sep).length).split(sep).join('/')}`, await readFile(file))
  }
  return contents
}

/** The build of the dashboard package, which the server doesn't depend on, so it may be missing. */
export function findDashboardFolder(): string | undefined {
  try {
    return join(dirname(fileURLToPath(import.meta.resolve('@skein/dashboard/package.json'))), 'dist')
  } catch {
    return undefined
  }
}
