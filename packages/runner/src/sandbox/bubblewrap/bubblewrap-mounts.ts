import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { nameServer } from '../network/network-filter.ts'
import type { SandboxSpec } from '../sandbox.ts'

/** The sandbox's network: a namespace with only the front in it, one with a way out too, or the host's own. */
export type Connection = 'closed' | 'open' | 'host'

/** A file created inside, from one of bubblewrap's descriptors. */
export interface MadeFile {
  readonly path: string
  readonly content: string
}

/** Public parts of /etc: certificates, but never the directory with private keys next to them. */
const sharedSettings = [
  '/etc/ssl/certs',
  '/etc/ssl/cert.pem',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/crypto-policies',
  '/etc/alternatives',
  '/etc/ld.so.cache',
]

/** Only what is listed here is visible. The uid inside is the same as the runner's, so hiding is what protects. */
export function mountSystem(connection: Connection): string[] {
  const settings =
    connection === 'host' ? [...sharedSettings, '/etc/resolv.conf', '/etc/hosts'] : sharedSettings
  return [
    ['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].map(mountLikeHost),
    ...settings.map((path) => ['--ro-bind-try', path, path]),
    ['--proc', '/proc', '--dev', '/dev', '--dir', '/run'],
  ].flat()
}

/** Size of each if memory has no limit. */
const DEFAULT_MEMORY_MIB = 1024

/** Unlike `/tmp`, agents rarely fill it. */
export const memoryDir = '/dev/shm'

/** Bounded, because their content is memory. */
export function mountMemory(memoryMib: number): string[] {
  const size = String((memoryMib || DEFAULT_MEMORY_MIB) * 1024 * 1024)
  return ['/tmp', '/var/tmp', memoryDir].flatMap((path) => [
    '--perms',
    '1777',
    '--size',
    size,
    '--tmpfs',
    path,
  ])
}

export function mountDirectories(spec: SandboxSpec): string[] {
  const isNodeHidden = !process.execPath.startsWith('/usr/')
  const readOnly = [...(isNodeHidden ? [process.execPath] : []), ...spec.readOnlyPaths]
  return [
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...[spec.workDir, spec.stateDir].flatMap((path) => ['--bind', path, path]),
  ]
}

/**
 * Must come last: makes the tree read-only that everything else was mounted into. The kernel settings in /proc/sys
 * are the host's, and would obey a runner that is root outside.
 */
export const sealMounts = ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/'] as const

export function makeSettings(home: string, connection: Connection): MadeFile[] {
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
  return [
    { path: '/etc/passwd', content: `agent:x:1000:1000:agent:${home}:${shell}\n` },
    { path: '/etc/group', content: 'agent:x:1000:\n' },
    { path: '/etc/nsswitch.conf', content: 'passwd: files\ngroup: files\nhosts: files dns\n' },
    ...(connection === 'host'
      ? []
      : [{ path: '/etc/hosts', content: '127.0.0.1 localhost agent\n::1 localhost\n' }]),
    ...(connection === 'open' ? [{ path: '/etc/resolv.conf', content: `nameserver ${nameServer}\n` }] : []),
  ]
}

function mountLikeHost(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}
