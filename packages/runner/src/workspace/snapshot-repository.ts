/**
 * A repository of ours beside the agent's, in the agent's state directory, that works on the same files. Saving and
 * restoring go through it, so that the agent's index, hooks, filters and locks are neither used nor disturbed, and
 * files come back byte for byte: the attributes switch off every conversion. Variables: `snapshot` is where it is,
 * `mirror` the objects of the mirror.
 */
export const OPEN_SNAPSHOT = `
[ -f "$snapshot/HEAD" ] || git init -q --bare --template= "$snapshot"
mkdir -p "$snapshot/info" "$snapshot/objects/info"
printf '%s\\n' '* -text !eol !filter !ident !working-tree-encoding' > "$snapshot/info/attributes"
printf '%s\\n' "$mirror" > "$snapshot/objects/info/alternates"
rm -f "$snapshot/index.lock"
`
