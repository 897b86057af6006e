import { readdir, readFile } from 'node:fs/promises'

/** Command lines of the processes whose first word is this text. */
export async function processesWith(text: string): Promise<string[]> {
  return (await findProcesses(text)).map(({ line }) => line)
}

export async function findProcesses(text: string): Promise<{ pid: number; line: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      line: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' '),
    })),
  )
  return lines.filter(({ line }) => line.startsWith(`${text} `) || line.trim() === text)
}
