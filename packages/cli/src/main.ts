#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { compileCacheFolder } from './compile-cache.ts'

// Halves the time until a command begins. Only what is imported from here on is kept, hence nothing else above.
const folder = process.env['NODE_COMPILE_CACHE'] ?? compileCacheFolder(process.env)
if (folder !== undefined) {
  enableCompileCache(folder)
  // For the programs that `skein dev` starts.
  process.env['NODE_COMPILE_CACHE'] = folder
}
await import('./command-line/command-line.ts')
