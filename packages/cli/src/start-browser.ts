import { spawn } from 'node:child_process'
import { setting, type Environment } from './profile/environment.ts'

/** Whether it could be started. What it does after that is not our concern. */
export function startBrowser(url: string, env: Environment): Promise<boolean> {
  const [program, ...args] = openerOf(env)
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
  child.unref()
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
}

function openerOf(env: Environment): readonly [string, ...string[]] {
  const chosen = setting(env, 'BROWSER')
  if (chosen !== undefined) return [chosen]
  if (process.platform === 'darwin') return ['open']
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}
