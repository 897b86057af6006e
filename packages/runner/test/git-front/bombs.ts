import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'

const NO_COMMIT = '0'.repeat(40)
const MIB = 1024 * 1024

const BLOB = 3
const OFS_DELTA = 6

/** Two bytes: from the start of a base of at least 1 MiB, copy 1 MiB. */
const COPY_MIB = Buffer.from([0x80 | 0x40, 0x10])

/** A blob of zeros and a delta that copies it so often that the result has `mib`. */
export function deltaBomb(mib: number, copies = 1): Buffer {
  const delta = makeDelta(MIB, mib)
  return makePack((at) => [
    packBlob(Buffer.alloc(MIB)),
    ...Array.from({ length: copies }, () => (offset: number) => packDelta(offset - at(0), delta)),
  ])
}

/** Each object of 1 MiB is a delta of the one before. */
export function deltaChain(depth: number): Buffer {
  const delta = makeDelta(MIB, 1)
  return makePack((at) => [
    packBlob(Buffer.alloc(MIB)),
    ...Array.from({ length: depth }, (_, index) => (offset: number) => packDelta(offset - at(index), delta)),
  ])
}

/** One blob of zeros. */
export function blobBomb(mib: number): Buffer {
  return makePack(() => [packBlob(Buffer.alloc(mib * MIB))])
}

/** The body of a push that changes these refs, all to a commit that is not in the pack. */
export function pushBody(refs: readonly string[], pack: Buffer): Buffer {
  const lines = refs.map((ref, index) => {
    const line = `${NO_COMMIT} ${'1'.repeat(40)} ${ref}${index === 0 ? '\0report-status' : ''}`
    return `${(line.length + 4).toString(16).padStart(4, '0')}${line}`
  })
  return Buffer.concat([Buffer.from(`${lines.join('')}0000`), pack])
}

/** What git has used at most: one process of it, and all of them at the same time. In MiB. */
export interface GitPeak {
  readonly one: number
  readonly together: number
}

/** Watches the processes of git that a host runs outside of its sandboxes, for a directory that they all name. */
export function watchHostGit(dir: string): { stop(): GitPeak } {
  let one = 0
  let together = 0
  const timer = setInterval(() => {
    let sum = 0
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      if (!isHostGit(pid, dir)) continue
      const status = readProc(pid, 'status')
      one = Math.max(one, readMib(status, 'VmHWM'))
      sum += readMib(status, 'VmRSS')
    }
    together = Math.max(together, sum)
  }, 20)
  return {
    stop: () => {
      clearInterval(timer)
      return { one, together }
    },
  }
}

function isHostGit(pid: string, dir: string): boolean {
  const environ = readProc(pid, 'environ')
  if (!environ.includes('HOME=/nonexistent')) return false
  return environ.includes(dir) || readProc(pid, 'cmdline').includes(dir)
}

function readMib(status: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

type PackEntry = Buffer | ((offset: number) => Buffer)

/** `at` tells where an entry before this one begins. */
function makePack(list: (at: (index: number) => number) => readonly PackEntry[]): Buffer {
  const offsets: number[] = []
  const entries = list((index) => offsets[index] ?? 0)
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(entries.length, 8)
  const chunks: Buffer[] = [head]
  let offset = head.length
  for (const entry of entries) {
    const bytes = typeof entry === 'function' ? entry(offset) : entry
    offsets.push(offset)
    chunks.push(bytes)
    offset += bytes.length
  }
  const body = Buffer.concat(chunks)
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

function packBlob(content: Buffer): Buffer {
  return Buffer.concat([objectHead(BLOB, content.length), deflateSync(content, { level: 9 })])
}

function packDelta(distance: number, delta: Buffer): Buffer {
  return Buffer.concat([objectHead(OFS_DELTA, delta.length), distanceOf(distance), deflateSync(delta)])
}

function makeDelta(baseSize: number, copies: number): Buffer {
  return Buffer.concat([
    varint(baseSize),
    varint(copies * MIB),
    ...Array.from({ length: copies }, () => COPY_MIB),
  ])
}

function objectHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size % 16)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest % 128)
  }
  return Buffer.from(bytes)
}

function varint(value: number): Buffer {
  const bytes = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest % 128)
  }
  return Buffer.from(bytes)
}

/** As git writes how far back the base is. */
function distanceOf(distance: number): Buffer {
  const bytes = [distance % 128]
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1
    bytes.unshift((rest % 128) | 0x80)
  }
  return Buffer.from(bytes)
}
