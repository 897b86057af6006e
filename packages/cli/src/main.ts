#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { compileCacheFolder } from './compile-cache.ts'

// Halves the start time. Only later imports are cached, so nothing else is imported above.
const folder = process.env['NODE_COMPILE_CACHE'] ?? compileCacheFolder(process.env)
if (folder !== undefined) {
  enableCompileCache(folder)
  // Also used by the programs `skein dev` starts.
  process.env['NODE_COMPILE_CACHE'] = folder
}
await import('./command-line/command-line.ts')
