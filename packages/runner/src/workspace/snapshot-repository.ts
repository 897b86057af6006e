/**
 * Our own repository next to the agent's, in the agent's state directory, with the same working files. Saving and
 * restoring go through it, so that the agent's index, hooks, filters and locks are neither used nor disturbed, and
 * files are restored byte for byte: the attributes disable all conversions. Variables: `snapshot` is its path,
 * `mirror` the mirror's objects.
 */
export const OPEN_SNAPSHOT = `
[ -f "$snapshot/HEAD" ] || git init -q --bare --template= "$snapshot"
mkdir -p "$snapshot/info" "$snapshot/objects/info"
printf '%s\\n' '* -text !eol !filter !ident !working-tree-encoding' > "$snapshot/info/attributes"
printf '%s\\n' "$mirror" > "$snapshot/objects/info/alternates"
rm -f "$snapshot/index.lock"
`
