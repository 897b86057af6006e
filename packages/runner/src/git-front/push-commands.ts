import type { Readable } from 'node:stream'

/** An agent may write two refs. The rest is for pushes that are rejected with a reason. */
const MAX_COMMANDS = 100
const MAX_BYTES = 64 * 1024

/**
 * Reads how many refs a push wants to change, and puts back what it read. Git would check each of them, with a
 * process for each invalid one. False for unreasonably many, and for anything that isn't a push.
 */
export function hasSaneCommands(body: Readable): Promise<boolean> {
  let read = Buffer.alloc(0)
  return new Promise((resolve) => {
    const finish = (isSane: boolean): void => {
      body.off('data', look).off('end', giveUp).off('error', giveUp).off('close', giveUp)
      body.pause()
      if (isSane) body.unshift(read)
      resolve(isSane)
    }
    const giveUp = (): void => finish(false)
    const look = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk])
      const isWhole = endsWithin(read)
      if (isWhole !== undefined) finish(isWhole)
      else if (read.length > MAX_BYTES) finish(false)
    }
    body.on('data', look).on('end', giveUp).on('error', giveUp).on('close', giveUp)
  })
}

/** Whether the list of commands ends with few enough entries; undefined if more input is needed. */
function endsWithin(bytes: Buffer): boolean | undefined {
  let at = 0
  for (let count = 0; count <= MAX_COMMANDS; count += 1) {
    if (at + 4 > bytes.length) return undefined
    const head = bytes.subarray(at, at + 4).toString('latin1')
    if (head === '0000') return true
    const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : 0
    if (length <= 4) return false
    at += length
  }
  return false
}
