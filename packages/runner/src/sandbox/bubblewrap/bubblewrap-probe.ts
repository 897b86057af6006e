import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { isolate } from './bubblewrap-command.ts'
import { mountMemory, mountSystem, sealMounts, type Connection } from './bubblewrap-mounts.ts'
import { probeLimits } from '../limits/held-limits.ts'
import { openClosedNetwork } from '../network/closed-network.ts'
import { openNetwork } from '../network/open-network.ts'
import type { SandboxNetwork } from '../network/sandbox-network.ts'
import { canLimitProcessesPerNamespace, hasRlimits } from '../limits/rlimits.ts'
import type { NetworkProblems, Probe } from '../sandbox.ts'

/** Kernel settings that decide whether a user may create namespaces. */
export interface NamespaceSettings {
  readonly maxUserNamespaces: string
  readonly unprivilegedUsernsClone: string
  readonly apparmorRestrictUserns: string
}

export async function probeBubblewrap(): Promise<Probe> {
  if (process.platform !== 'linux')
    return { isUsable: false, reason: 'Bubblewrap is only available on Linux.' }
  try {
    await tryBubblewrap('host', [])
  } catch (error) {
    return { isUsable: false, reason: explainFailure(describeError(error), await readSettings()) }
  }
  const notes = hasRlimits()
    ? []
    : ['The size of files is not limited: prlimit is missing (apt-get install util-linux).']
  return {
    isUsable: true,
    limits: await probeLimits(canLimitProcessesPerNamespace()),
    networks: await probeNetworks(),
    notes,
  }
}

/** Starts a program that does nothing. */
async function tryBubblewrap(connection: Connection, enter: readonly string[]): Promise<void> {
  const flags = [...isolate(), ...mountSystem(connection), ...mountMemory(16), ...sealMounts]
  const [program, ...args] = [...enter, 'bwrap', ...flags, '--', '/usr/bin/env', 'true']
  await promisify(execFile)(program, args, { env: { PATH: process.env['PATH'] } })
}

function admitAll(): boolean {
  return true
}

async function probeNetworks(): Promise<NetworkProblems> {
  const closed = await probeNetwork('closed', openClosedNetwork)
  const open = await probeNetwork('open', (port) => openNetwork({ port, allowed: [], admit: admitAll }))
  return { none: closed, gateway: closed, open }
}

/** Why agents cannot have such a network; empty if they can. */
async function probeNetwork(
  connection: Exclude<Connection, 'host'>,
  open: (port: number) => Promise<SandboxNetwork>,
): Promise<string> {
  try {
    // Nothing connects to this port.
    const network = await open(1024)
    try {
      await tryBubblewrap(connection, network.enter)
    } finally {
      await network.close()
    }
    return ''
  } catch (error) {
    return explainNetworkFailure(describeError(error))
  }
}

const MISSING = [
  { shown: /slirp4netns ENOENT/, program: 'slirp4netns', parcel: 'slirp4netns' },
  { shown: /nft: (?:.*)not found/, program: 'nft', parcel: 'nftables' },
  { shown: /(?:nsenter|unshare) ENOENT/, program: 'nsenter', parcel: 'util-linux' },
]

/** Translates the programs' error messages into instructions. */
export function explainNetworkFailure(message: string): string {
  const missing = MISSING.find(({ shown }) => shown.test(message))
  const reason = missing
    ? `${missing.program} is not installed: apt-get install ${missing.parcel}.`
    : `Agents cannot have a separate network here: that needs util-linux and unprivileged user namespaces; to reach other hosts, also slirp4netns, nftables and /dev/net/tun. ${message}`
  return `${reason} Or, if agents may use the network of this host, set SKEIN_RUNNER_HOST_NETWORK=true.`
}

/** Translates bubblewrap's and the system's error messages into instructions. */
export function explainFailure(message: string, settings: NamespaceSettings): string {
  if (message.includes('ENOENT')) {
    return 'bubblewrap is not installed: apt-get install bubblewrap (same name in dnf, apk and pacman).'
  }
  if (/unknown option/i.test(message)) return `bubblewrap 0.8 or newer is needed. Output: ${message}`
  if (settings.maxUserNamespaces === '0') {
    return 'user namespaces are disabled: sysctl -w user.max_user_namespaces=15000'
  }
  if (settings.unprivilegedUsernsClone === '0') {
    return 'user namespaces are disabled for unprivileged users: sysctl -w kernel.unprivileged_userns_clone=1'
  }
  if (settings.apparmorRestrictUserns === '1' && /permission denied|not permitted/i.test(message)) {
    return (
      'AppArmor prevents bubblewrap from creating user namespaces: give /usr/bin/bwrap a profile with "userns,", ' +
      `or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0. Output: ${message}`
    )
  }
  if (message.includes('proc')) {
    return (
      'a new /proc cannot be mounted, for example in a container where /proc is masked: start the container with ' +
      `--security-opt systempaths=unconfined (Kubernetes: procMount: Unmasked). Output: ${message}`
    )
  }
  if (/namespace|hostname/i.test(message)) {
    return (
      'a user namespace cannot be created, for example in a container with the default seccomp profile: start the container with ' +
      `--security-opt seccomp=runner-seccomp.json, which is in deploy/images of Skein's repository. Output: ${message}`
    )
  }
  return `bubblewrap does not work here. Output: ${message}`
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : ''
  return stderr === '' ? error.message : stderr
}

async function readSettings(): Promise<NamespaceSettings> {
  return {
    maxUserNamespaces: await readSetting('user/max_user_namespaces'),
    unprivilegedUsernsClone: await readSetting('kernel/unprivileged_userns_clone'),
    apparmorRestrictUserns: await readSetting('kernel/apparmor_restrict_unprivileged_userns'),
  }
}

/** Empty on a kernel without this setting. */
async function readSetting(path: string): Promise<string> {
  const text = await readFile(`/proc/sys/${path}`, 'utf8').catch(() => '')
  return text.trim()
}
