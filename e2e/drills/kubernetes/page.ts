import { readFileSync } from 'node:fs'

/** Commands of a page by name: the blocks that start with ```sh run=name, in the page's order. */
export function readCommands(path: string): ReadonlyMap<string, string> {
  const commands = new Map<string, string>()
  for (const [, indent = '', name = '', text = ''] of readFileSync(path, 'utf8').matchAll(
    /^( *)```sh run=(\S+)\n(.*?)^ *```$/gms,
  )) {
    if (commands.has(name)) throw new Error(`${path} has two blocks ${name}`)
    commands.set(name, text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
  }
  return commands
}
