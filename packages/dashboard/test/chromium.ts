import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** Debian's Chromium, which .ci/run installs. It must not talk to anyone but the page's own server. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findProgram('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

function findProgram(name: string): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => isExecutable(path))
  if (found === undefined) throw new Error(`${name} is not installed: apt-get install ${name}`)
  return found
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
