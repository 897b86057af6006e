import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@skein/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { DiskWatch, isDue, readFreeSpace } from '../../src/sandbox/limits/disk-watch.ts'

const MIB = 1024 * 1024
const last = {
  usedBytes: 40 * MIB,
  isWhole: true,
  free: { bytes: 1000 * MIB, inodes: 100_000 },
  endedAt: 0,
  tookMs: 100,
}
const at = (nowMs: number, lostMib = 0, lostInodes = 0, isScarce = false) => ({
  free: { bytes: (1000 - lostMib) * MIB, inodes: 100_000 - lostInodes },
  isScarce,
  nowMs,
})

test('a folder is measured when the file system has lost what the folder may still take', () => {
  expect(isDue(last, 100 * MIB, at(1000, 59))).toBe(false)
  expect(isDue(last, 100 * MIB, at(1000, 60))).toBe(true)
  expect(isDue(last, 100 * MIB, at(1000, 0, 60 * 256))).toBe(true)
  expect(isDue(last, Infinity, at(1000, 900))).toBe(false)
})

test('measuring is followed by a rest, however much was lost', () => {
  expect(isDue(last, 100 * MIB, at(399, 900))).toBe(false)
  expect(isDue({ ...last, tookMs: 10_000 }, 100 * MIB, at(39_999, 900))).toBe(false)
})

test('a folder is measured now and then, the more seldom the longer it takes', () => {
  expect(isDue(last, 100 * MIB, at(4999))).toBe(false)
  expect(isDue(last, 100 * MIB, at(5000))).toBe(true)
  expect(isDue({ ...last, tookMs: 1000 }, 100 * MIB, at(49_999))).toBe(false)
})

test('a host that is short of disk measures the possible causes', () => {
  expect(isDue(last, Infinity, at(1000, 10, 0, true))).toBe(true)
  expect(isDue(last, Infinity, at(1000, 1, 0, true))).toBe(false)
})

async function makeFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'skein-disk-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  return dir
}

/** Watches two folders, of which the second grows, until it is reported. */
async function findVictim(watch: DiskWatch): Promise<string[]> {
  const breaches: string[] = []
  const [still, growing] = [await makeFolder(), await makeFolder()]
  const ends = []
  for (const dir of [still, growing]) {
    const onBreach = (reason: string) =>
      void breaches.push(`${dir === growing ? 'growing' : 'still'}: ${reason}`)
    ends.push(await watch.add({ dirs: [dir], maxBytes: 0, listProcesses: () => [], onBreach }))
  }
  await writeFile(join(growing, 'big'), Buffer.alloc(24 * MIB, 1))
  await waitFor(() => breaches.length > 0, { what: 'a breach', timeoutMs: 15_000 })
  for (const end of ends) end()
  return breaches
}

test('when all agents together take too much, the one that has grown most is ended', async () => {
  const breaches = await findVictim(new DiskWatch({ minFreeBytes: 0, maxTotalBytes: 10 * MIB }))
  expect(breaches).toEqual([
    'growing: The agents of this runner use more than 10 MiB of disk space, and this one used the most.',
  ])
})

test('when the host has too little left, the one that has grown most is ended', async () => {
  const { bytes } = await readFreeSpace([tmpdir()])
  const breaches = await findVictim(new DiskWatch({ minFreeBytes: bytes * 4, maxTotalBytes: Infinity }))
  expect(breaches).toEqual([
    expect.stringMatching(/^growing: The runner’s host has only \d+ MiB of disk space left/),
  ])
})
