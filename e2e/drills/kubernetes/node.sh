#!/usr/bin/env bash
# The node of the drill's Kubernetes: process 1 of its own mount, network and process namespaces, started by cluster.ts.
# When it ends, everything in it ends. What it needs is in the environment: BIN, CONFIG, DATA, LOGS, NODE, HOST.
set -u
export PATH=$BIN:$PATH

# Where kubelet, containerd and CNI keep things. The machine's own folders stay as they are.
mount --make-rshared /
for path in /var/lib/kubelet /var/lib/containerd /var/lib/cni /var/log/pods /var/log/containers /etc/cni/net.d /run/containerd; do
  mkdir -p "$DATA$path"
  mount --bind "$DATA$path" "$path"
  mount --make-rshared "$path"
done
mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && mount --make-rshared /run/netns
cp "$CONFIG/cni.conflist" /etc/cni/net.d/10-pods.conflist
# With hybrid cgroups, runtimes must see version 1 only.
umount /sys/fs/cgroup/unified 2>/dev/null

ip link set lo up
touch "$DATA/is-ready-for-network"
until ip link show eth0 >/dev/null 2>&1; do sleep 0.1; done
ip address add "$NODE/24" dev eth0
ip link set eth0 up
ip route add default via "$HOST"
echo 1 >/proc/sys/net/ipv4/ip_forward

start() {
  "$@" >"$LOGS/$1.log" 2>&1 &
}

# Nothing here has to survive a power failure.
start etcd --data-dir "$DATA/etcd" --unsafe-no-fsync --log-level warn
start containerd --config "$CONFIG/containerd.toml"
start kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address="$NODE" --advertise-address="$NODE" \
  --tls-cert-file="$CONFIG/apiserver.crt" --tls-private-key-file="$CONFIG/apiserver.key" \
  --client-ca-file="$CONFIG/ca.crt" --token-auth-file="$CONFIG/tokens.csv" --authorization-mode=Node,RBAC \
  --service-cluster-ip-range=10.96.0.0/16 --service-account-issuer=https://kubernetes.default.svc \
  --service-account-signing-key-file="$CONFIG/service-account.key" \
  --service-account-key-file="$CONFIG/service-account.pub" \
  --kubelet-preferred-address-types=InternalIP --profiling=false
start kube-controller-manager --kubeconfig="$CONFIG/controller-manager.kubeconfig" --leader-elect=false \
  --service-account-private-key-file="$CONFIG/service-account.key" --root-ca-file="$CONFIG/ca.crt" \
  --use-service-account-credentials=true --bind-address=127.0.0.1
start kube-scheduler --kubeconfig="$CONFIG/scheduler.kubeconfig" --leader-elect=false --bind-address=127.0.0.1
until [ -S /run/containerd/containerd.sock ]; do sleep 0.1; done
start kubelet --config="$CONFIG/kubelet.yaml" --kubeconfig="$CONFIG/kubelet.kubeconfig" --hostname-override=node \
  --node-ip="$NODE"
start kube-proxy --config="$CONFIG/kube-proxy.yaml" --hostname-override=node
start coredns -conf "$CONFIG/Corefile"

# As process 1, bash also collects what containers leave behind.
wait
