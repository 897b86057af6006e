#!/usr/bin/env node
// Plain JavaScript, and loading nothing but what it needs: an old Node has to get as far as saying that it is old.
const OLDEST = 24

if (Number.parseInt(process.versions.node, 10) >= OLDEST) {
  await import('@skein/server/admin')
} else {
  process.stderr.write(
    `skein-admin needs Node ${OLDEST} or newer; this is Node ${process.versions.node}. Install it from https://nodejs.org\n`,
  )
  process.exitCode = 1
}
