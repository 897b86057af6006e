import { readdir, readFile } from 'node:fs/promises'

/** Processes whose command line holds this text. */
export async function processesWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async (pid) => ({
      pid,
      line: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' '),
    })),
  )
  return lines
    .filter(({ line }) => line.startsWith(`${text} `) || line.trim() === text)
    .map(({ line }) => line)
}
