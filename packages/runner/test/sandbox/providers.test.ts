import { expect, test } from 'vitest'
import { explainFailure, explainNetworkFailure } from '../../src/sandbox/bubblewrap/bubblewrap-probe.ts'
import { findSandboxProvider } from '../../src/sandbox/providers.ts'

test('the process level can be used everywhere, and says what it does not hold', async () => {
  const probe = await findSandboxProvider('process').probe()
  expect(probe).toEqual({
    isUsable: true,
    notes: [expect.stringContaining('does not isolate agents')],
    limits: expect.objectContaining({ diskMib: '' }) as unknown,
    networks: {
      none: expect.stringContaining('SKEIN_RUNNER_HOST_NETWORK') as unknown,
      gateway: expect.stringContaining('SKEIN_RUNNER_HOST_NETWORK') as unknown,
      open: '',
    },
  })
})

test.each([
  [
    'slirp4netns',
    'slirp4netns did not start. Output: spawn slirp4netns ENOENT',
    'apt-get install slirp4netns',
  ],
  ['nft', 'unshare did not start. Output: sh: 1: nft: not found', 'apt-get install nftables'],
  ['anything else', 'slirp4netns did not start. Output: surprise', 'surprise'],
])('the probe names what an open network lacks: %s', (_what, message, mend) => {
  expect(explainNetworkFailure(message)).toContain(mend)
  expect(explainNetworkFailure(message)).toContain('SKEIN_RUNNER_HOST_NETWORK=true')
})

const off = { maxUserNamespaces: '0', unprivilegedUsernsClone: '', apparmorRestrictUserns: '' }
const on = { maxUserNamespaces: '15000', unprivilegedUsernsClone: '1', apparmorRestrictUserns: '0' }
const denied = 'bwrap: setting up uid map: Permission denied'
const causes = [
  ['a missing program', 'spawn bwrap ENOENT', on, 'apt-get install bubblewrap'],
  ['an old version', 'bwrap: Unknown option --disable-userns', on, '0.8 or newer'],
  [
    'namespaces that are off',
    'bwrap: Creating new namespace failed',
    off,
    'sysctl -w user.max_user_namespaces',
  ],
  [
    'namespaces that are off for users',
    'bwrap: No permissions to create new namespace',
    { ...on, unprivilegedUsernsClone: '0' },
    'sysctl -w kernel.unprivileged_userns_clone=1',
  ],
  ['AppArmor', denied, { ...on, apparmorRestrictUserns: '1' }, 'apparmor_restrict_unprivileged_userns=0'],
  [
    'a masked /proc',
    `bwrap: Can't mount proc on /newroot/proc: Operation not permitted`,
    on,
    'systempaths=unconfined',
  ],
  ['a seccomp profile', 'bwrap: No permissions to create new namespace', on, 'runner-seccomp.json'],
  [
    'a seccomp profile that permits namespaces',
    "bwrap: Can't set hostname to agent: Operation not permitted",
    on,
    'runner-seccomp.json',
  ],
  ['anything else', 'bwrap: surprise', on, 'Output: bwrap: surprise'],
] as const

test.each(causes)('the probe names the mend for %s', (_cause, message, settings, mend) => {
  expect(explainFailure(message, settings)).toContain(mend)
})
