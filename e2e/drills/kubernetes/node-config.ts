import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The node, and this machine's end of the cable between them. */
export const NODE = '10.99.0.1'
export const HOST = '10.99.0.254'
export const PODS = '10.244.0.0/16'
export const SERVICES = '10.96.0.0/16'
/** The first address of the services' network is always that of the API server. */
const API_SERVICE = '10.96.0.1'

/** With cgroups of version 1, kubelet gets a group of its own. */
export const CGROUP = existsSync('/sys/fs/cgroup/cgroup.controllers') ? undefined : 'skein-drill'

export const PAUSE_IMAGE = 'localhost/pause:1'

/** Writes certificates, tokens and the configuration of each part of the cluster. */
export function writeNodeConfig(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string): void =>
    writeFileSync(join(folder, name), `${text.trim()}\n`, { mode: 0o600 })
  writeCertificates(folder)
  writeUsers(folder, write)
  write('cni.conflist', CNI)
  write('containerd.toml', CONTAINERD)
  write('kubelet.yaml', kubeletConfig(folder))
  write('kube-proxy.yaml', kubeProxyConfig(folder))
  write('resolv.conf', `nameserver ${NODE}`)
  write('Corefile', corefile(folder))
}

function writeCertificates(folder: string): void {
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc']
  const addresses = ['127.0.0.1', NODE, API_SERVICE]
  const alternatives = [...names.map((name) => `DNS:${name}`), ...addresses.map((each) => `IP:${each}`)]
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '30']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=drill')
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-addext', `subjectAltName=${alternatives.join()}`]
  const limited = ['-addext', 'extendedKeyUsage=serverAuth', '-addext', 'basicConstraints=critical,CA:FALSE']
  const files = ['-keyout', 'apiserver.key', '-out', 'apiserver.crt', '-subj', '/CN=kube-apiserver']
  openssl('req', '-x509', ...key, ...files, ...signed, ...limited)
  openssl('genrsa', '-out', 'service-account.key', '2048')
  openssl('rsa', '-in', 'service-account.key', '-pubout', '-out', 'service-account.pub')
}

/** Each part of the cluster: its user, and the group that gives it its rights. */
const USERS = {
  admin: ['admin', 'system:masters'],
  'controller-manager': ['system:kube-controller-manager', ''],
  scheduler: ['system:kube-scheduler', ''],
  kubelet: ['system:node:node', 'system:nodes'],
  'kube-proxy': ['system:kube-proxy', ''],
  coredns: ['system:coredns', 'system:masters'],
} as const

function writeUsers(folder: string, write: (name: string, text: string) => void): void {
  const lines = Object.entries(USERS).map(([name, [user, group]]) => {
    const token = randomBytes(16).toString('hex')
    const cluster = { server: `https://${NODE}:6443`, 'certificate-authority': join(folder, 'ca.crt') }
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'drill', cluster }],
      users: [{ name, user: { token } }],
      contexts: [{ name: 'drill', context: { cluster: 'drill', user: name } }],
      'current-context': 'drill',
    }
    write(`${name}.kubeconfig`, JSON.stringify(config))
    return `${token},${user},${user}${group === '' ? '' : `,${group}`}`
  })
  write('tokens.csv', lines.join('\n'))
}

/** Routed rather than bridged, so that services' addresses work between pods of the same node. */
const CNI = JSON.stringify({
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      mtu: 1500,
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: PODS.replace('/16', '/24') }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
})

const CONTAINERD = `
version = 3
oom_score = 0
[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = '${PAUSE_IMAGE}'
[plugins.'io.containerd.cri.v1.runtime']
# Without CAP_SYS_RESOURCE, scores can only be raised.
restrict_oom_score_adj = true
disable_hugetlb_controller = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['/usr/lib/cni']
conf_dir = '/etc/cni/net.d'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
SystemdCgroup = false
`

/** JSON is YAML. */
function kubeletConfig(folder: string): string {
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    // It can only be reached from inside of the cluster's network namespace.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    address: NODE,
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    ...(CGROUP !== undefined && { cgroupRoot: `/${CGROUP}` }),
    enforceNodeAllocatable: [],
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    // This machine's disk may be as full as it likes.
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
    clusterDomain: 'cluster.local',
    clusterDNS: [NODE],
    resolvConf: join(folder, 'resolv.conf'),
  })
}

function kubeProxyConfig(folder: string): string {
  return JSON.stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: join(folder, 'kube-proxy.kubeconfig') },
    mode: 'nftables',
    clusterCIDR: PODS,
    bindAddress: NODE,
    // 0: leaves the machine's settings alone.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    oomScoreAdj: 0,
  })
}

function corefile(folder: string): string {
  return `
cluster.local:53 in-addr.arpa:53 ip6.arpa:53 {
  bind ${NODE}
  errors
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${join(folder, 'coredns.kubeconfig')} drill
    ttl 5
  }
  cache 5
}
.:53 {
  bind ${NODE}
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`
}
