#!/usr/bin/env bash
# Builds what a one-node Kubernetes consists of into $SKEIN_KUBERNETES_DIR/bin, from the Go module proxy alone, for the
# drill: about 20 minutes of one core. What is there is not built again. Needs Go 1.26, gcc, pkg-config and
# libseccomp-dev, and 8 GB for sources and Go's caches.
set -euo pipefail

folder=${SKEIN_KUBERNETES_DIR:?must say where the programs are kept}
mkdir -p "$folder/bin" "$folder/src"
# Go's -buildvcs would look for a repository around the sources.
export CGO_ENABLED=0 GOFLAGS=-buildvcs=false GOWORK=off GOGC=400

kubernetes=1.36.3

# Modules with replace directives cannot be installed with `go install`, so each is copied out of Go's cache first.
# Prints the folder. Arguments: a name, the module with its version.
copy_module() {
  local source target="$folder/src/$1"
  source=$(cd "$folder" && go mod download -json "$2" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  rm -rf "$target"
  cp -r "$source" "$target"
  chmod -R u+w "$target"
  rm -rf "$target/vendor" "$target/go.work" "$target/go.work.sum"
  echo "$target"
}

# Arguments: the program, the folder of its module, the package, flags of the linker, more flags of `go build`.
build() {
  local started=$SECONDS
  (cd "$2" && go build -mod=mod -trimpath ${5:-} -ldflags "-s -w ${4:-}" -o "$folder/bin/$1.part" "./$3")
  mv "$folder/bin/$1.part" "$folder/bin/$1"
  echo "$1: $((SECONDS - started)) s"
}

has() { [ -x "$folder/bin/$1" ]; }

if ! has helm; then
  build helm "$(copy_module helm helm.sh/helm/v4@v4.3.1)" cmd/helm '-X helm.sh/helm/v4/internal/version.version=v4.3.1'
fi

# Pods with user namespaces need runc 1.2, which Debian 12 and 13 do not have.
if ! has runc; then
  CGO_ENABLED=1 build runc "$(copy_module runc github.com/opencontainers/runc@v1.3.4)" . '-X main.version=1.3.4' '-tags seccomp'
fi

if ! has containerd; then
  source=$(copy_module containerd github.com/containerd/containerd/v2@v2.4.2)
  version='-X github.com/containerd/containerd/v2/version.Version=2.4.2'
  build ctr "$source" cmd/ctr "$version"
  build containerd-shim-runc-v2 "$source" cmd/containerd-shim-runc-v2 "$version"
  build containerd "$source" cmd/containerd "$version"
fi

if ! has etcd; then
  source=$(copy_module etcd go.etcd.io/etcd/server/v3@v3.7.3)
  # Its sister modules, as released.
  sed -i -E 's#(go\.etcd\.io/etcd/[a-z0-9/]+) => \.\./.*#\1 => \1 v3.7.3#' "$source/go.mod"
  build etcd "$source" .
fi

if ! has coredns; then
  source=$(copy_module coredns github.com/coredns/coredns@v1.15.0)
  # Only the plug-ins of the drill's configuration: a third of the build.
  printf '%s:%s\n' bind bind ready ready errors errors cache cache template template kubernetes kubernetes \
    >"$source/plugin.cfg"
  (cd "$source" && go generate coredns.go)
  build coredns "$source" .
fi

programs=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl)
for program in "${programs[@]}"; do
  has "$program" && continue
  if [ -z "${source_of_kubernetes:-}" ]; then
    source_of_kubernetes=$(copy_module kubernetes "k8s.io/kubernetes@v$kubernetes")
    # The module lacks staging/src: use the released modules instead.
    sed -i -E "s#^(\s+)(k8s\.io/[a-z-]+) => \./staging/.*#\1\2 => \2 v0.${kubernetes#1.}#" "$source_of_kubernetes/go.mod"
  fi
  # Without a version it calls itself v0.0.0, and the chart's kubeVersion refuses it.
  package=k8s.io/component-base/version
  version="-X $package.gitVersion=v$kubernetes -X $package.gitMajor=1 -X $package.gitMinor=36"
  build "$program" "$source_of_kubernetes" "cmd/$program" "$version"
done
