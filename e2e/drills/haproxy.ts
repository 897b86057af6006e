import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '@skein/host'
import { HAPROXY, requireProgram } from './needs.ts'
import { Program } from './program.ts'

export interface Balancer {
  readonly port: number
  readonly url: string
  readonly program: Program
}

/** HAProxy with the file that our pages show, in front of servers on these ports. Without TLS, which nothing here needs. */
export async function startBalancer(
  { root, folder }: { root: string; folder: string },
  ports: readonly number[],
): Promise<Balancer> {
  const port = await findFreePort()
  const servers = ports.map((each, index) => `server skein${index + 1} 127.0.0.1:${each}`).join('\n  ')
  const text = replaceEach(readFileSync(join(root, 'deploy/proxies/haproxy.cfg'), 'utf8'), [
    ['bind :443 ssl crt /etc/haproxy/skein.pem alpn h2,http/1.1', `bind 127.0.0.1:${port}`],
    ['server skein1 127.0.0.1:8080', servers],
    // More needs more open files than a process may have by default.
    ['maxconn 20000', 'maxconn 400'],
  ])
  const program = startHaproxy('balancer', text, folder)
  await program.untilListening(port)
  return { port, url: `http://127.0.0.1:${port}`, program }
}

export function startHaproxy(name: string, text: string, folder: string): Program {
  const config = join(folder, `${name}.cfg`)
  // Only root can become another user.
  const isRoot = process.getuid?.() === 0
  writeFileSync(config, isRoot ? text : text.replaceAll(/^ +(?:user|group|chroot) .*\n/gm, ''))
  const command = [requireProgram(HAPROXY), '-db', '-f', config]
  return new Program({ name, command, logFile: join(folder, `${name}.log`) })
}

/** Fails if the file no longer has what is replaced: otherwise, a drill would test something else. */
export function replaceEach(text: string, changes: readonly (readonly [find: string, by: string])[]): string {
  let changed = text
  for (const [find, by] of changes) {
    if (!changed.includes(find)) throw new Error(`The file no longer has: ${find}`)
    changed = changed.replaceAll(find, () => by)
  }
  return changed
}
