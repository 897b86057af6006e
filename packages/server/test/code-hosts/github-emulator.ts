import { createEmulator } from 'emulate'
import { findFreePort } from '@skein/host'

export const APP_ID = 12345

export interface GitHubEmulator {
  readonly url: string
  /** Of the App that is installed for the organisation acme. */
  readonly privateKey: string
  /** As a person with write access. */
  get(path: string): Promise<unknown>
  patch(path: string, body: object): Promise<unknown>
  put(path: string, body: object): Promise<unknown>
  remove(path: string): Promise<unknown>
  /** As a person with write access, or as a stranger. */
  post(path: string, body: object, as?: 'alice' | 'mallory'): Promise<unknown>
  /** At the same commit as main. */
  createBranch(repo: string, branch: string): Promise<void>
  close(): Promise<void>
}

/** GitHub as far as an emulator goes: an App, its tokens, branches and pull requests. It has no git. */
export async function startGitHub(): Promise<GitHubEmulator> {
  const port = await findFreePort()
  const emulator = await createEmulator({
    service: 'github',
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    seed: {
      tokens: {
        tok_alice: { login: 'alice', scopes: ['repo', 'user', 'admin:org'] },
        tok_mallory: { login: 'mallory', scopes: ['repo'] },
      },
      github: {
        users: [{ login: 'alice' }, { login: 'mallory' }],
        orgs: [{ login: 'acme', members: [{ login: 'alice', role: 'admin' }] }],
        repos: [
          { owner: 'acme', name: 'shop', auto_init: true, private: false },
          { owner: 'acme', name: 'payroll', auto_init: true, private: true },
          { owner: 'acme', name: 'desk', auto_init: true, private: false },
        ],
        apps: [
          {
            app_id: APP_ID,
            slug: 'skein',
            name: 'Skein',
            permissions: {
              contents: 'write',
              pull_requests: 'write',
              issues: 'write',
              checks: 'write',
              statuses: 'read',
              actions: 'read',
              metadata: 'read',
            },
            events: [],
            installations: [{ installation_id: 100, account: 'acme', repository_selection: 'all' }],
          },
        ],
      },
    },
  })
  const privateKey = emulator.generatedSecrets[0]?.value ?? ''
  const send = async (method: string, path: string, body?: object, as = 'alice'): Promise<unknown> => {
    const response = await fetch(`${emulator.url}${path}`, {
      method,
      headers: { authorization: `token tok_${as}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  for (const repo of ['shop', 'desk'])
    await send('PUT', `/repos/acme/${repo}/collaborators/alice`, { permission: 'push' })
  return {
    url: emulator.url,
    privateKey,
    get: (path) => send('GET', path),
    patch: (path, body) => send('PATCH', path, body),
    put: (path, body) => send('PUT', path, body),
    remove: (path) => send('DELETE', path),
    post: (path, body, as) => send('POST', path, body, as),
    async createBranch(repo, branch) {
      const main = (await send('GET', `/repos/acme/${repo}/git/ref/heads/main`)) as {
        object: { sha: string }
      }
      await send('POST', `/repos/acme/${repo}/git/refs`, {
        ref: `refs/heads/${branch}`,
        sha: main.object.sha,
      })
    },
    close: () => emulator.close(),
  }
}
