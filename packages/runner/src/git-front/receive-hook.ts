import { createHash } from 'node:crypto'
import { chmod, mkdir, rename, stat, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** One ref changed by a push. An object id of zeros means no ref. */
export interface RefUpdate {
  readonly ref: string
  readonly old: string
  readonly new: string
}

export interface ReceivedPush {
  readonly updates: readonly RefUpdate[]
  /** Where git keeps the new objects until the push is accepted. */
  readonly quarantine: string
}

export interface Verdict {
  readonly isAccepted: boolean
  /** Shown by the client's git, each after `remote:`. */
  readonly lines: readonly string[]
}

/** Passes the push to the runner and obeys its verdict. If the runner is gone, the push is rejected. */
const PRE_RECEIVE = `#!/bin/sh
{ printf '%s\\n' "$GIT_QUARANTINE_PATH" && cat && echo end; } >&3
IFS= read -r verdict <&3 || verdict=gone
while IFS= read -r line <&3 && [ "$line" != end ]; do printf '%s\\n' "$line" >&2; done
[ "$verdict" = accept ]
`

const MAX_UPDATES = 100

/**
 * Installs the hook and returns its folder, which is named after the content, so that two runner versions don't mix.
 */
export async function installReceiveHook(dir: string): Promise<string> {
  const hooksDir = join(dir, `hooks-${createHash('sha256').update(PRE_RECEIVE).digest('hex').slice(0, 16)}`)
  const path = join(hooksDir, 'pre-receive')
  if (await stat(path).catch(() => undefined)) return hooksDir
  await mkdir(hooksDir, { recursive: true })
  const draft = `${path}.${process.pid}.new`
  await writeFile(draft, PRE_RECEIVE)
  await chmod(draft, 0o755)
  await rename(draft, path)
  return hooksDir
}

/** What the hook sends; undefined if git ends without calling it, or if there is too much to read. */
export async function readPush(channel: Socket): Promise<ReceivedPush | undefined> {
  const lines: string[] = []
  const reader = createInterface({ input: channel, crlfDelay: Infinity })
  const isWhole = await new Promise<boolean>((resolve) => {
    reader.on('line', (line) => {
      if (line === 'end') resolve(true)
      else if (lines.push(line) > MAX_UPDATES) resolve(false)
    })
    reader.on('close', () => resolve(false))
  })
  // Closing the reader pauses the channel, which then would not notice its end.
  reader.close()
  channel.resume()
  if (!isWhole) return undefined
  const [quarantine = '', ...rest] = lines
  const updates = rest.flatMap((line) => {
    const [, old, next, ref] = /^([0-9a-f]+) ([0-9a-f]+) (refs\/.+)$/.exec(line) ?? []
    return old !== undefined && next !== undefined && ref !== undefined ? [{ ref, old, new: next }] : []
  })
  return updates.length === rest.length ? { updates, quarantine } : undefined
}

export function sendVerdict(channel: Socket, { isAccepted, lines }: Verdict): void {
  const shown = lines.map((line) => line.replaceAll(/[\p{Cc}]/gu, ' ')).filter((line) => line !== 'end')
  channel.end([isAccepted ? 'accept' : 'refuse', ...shown, 'end', ''].join('\n'))
}

export function isDeletion(update: RefUpdate): boolean {
  return /^0+$/.test(update.new)
}

export function isCreation(update: RefUpdate): boolean {
  return /^0+$/.test(update.old)
}
