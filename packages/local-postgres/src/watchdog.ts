import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

export interface Watchdog {
  /** The process to end when this one is gone: initdb or the postmaster; 0 for none. */
  watch(pid: number): void
  dismiss(): Promise<void>
}

export function startWatchdog(signal: 'SIGINT' | 'SIGQUIT', directoryToDelete: string): Watchdog {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const script = fileURLToPath(new URL(`./postgres-watchdog.${extension}`, import.meta.url))
  const child = spawn(process.execPath, [script, signal, directoryToDelete], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Ctrl-C in a terminal goes to the whole process group, and this process must survive it.
    detached: true,
    env: { PATH: process.env['PATH'] },
    cwd: '/',
  })
  // A write fails only if someone killed the watchdog. The server then just loses its safety net.
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
  return {
    watch: (pid) => void child.stdin.write(`${pid}\n`),
    dismiss: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.ref()
      child.stdin.end('0\n')
      await once(child, 'exit')
    },
  }
}
