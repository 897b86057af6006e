import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The server sends these files unchanged, so that it never compresses a file twice. */
function precompress(): Plugin {
  let folder = ''
  return {
    name: 'skein-precompress',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir)
    },
    async closeBundle() {
      const names = await readdir(folder, { recursive: true })
      for (const name of names.filter((file) => /\.(js|css|svg)$/.test(file))) {
        const body = await readFile(join(folder, name))
        await writeFile(join(folder, `${name}.br`), brotliCompressSync(body))
        await writeFile(join(folder, `${name}.gz`), gzipSync(body, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), precompress()],
  // The server inserts a new nonce into each response: a few libraries add a style element.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Inlined files would need data: in the policy for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
  // For `npm run dev:dashboard` next to a `skein dev`.
  server: { proxy: { '/v1': process.env['SKEIN_URL'] ?? 'http://127.0.0.1:8080' } },
})
