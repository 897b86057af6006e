import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NeededPackage } from './needed-packages.ts'

/** Types, source maps and prose: nothing reads them at run time. Licences stay. */
const UNUSED = /\.(?:map|d\.[cm]?ts|tsbuildinfo)$|(?:^|\/)(?:README|CHANGELOG|HISTORY)(?:\.[a-z]+)?$/i

/**
 * Puts a program with everything it needs below `folder`, as node_modules: our packages from the tarballs, the others
 * from the checkout, where `npm ci` has checked them against the lock.
 */
export function stageProgram(
  needed: readonly NeededPackage[],
  { root, tarballs, folder }: { root: string; tarballs: string; folder: string },
): void {
  for (const { place, name, version, isOurs } of needed) {
    // What one of our packages has for itself stays inside of it.
    const target = join(
      folder,
      isOurs ? `node_modules/${name}` : place.replace('packages/', 'node_modules/@skein/'),
    )
    mkdirSync(target, { recursive: true })
    if (isOurs) {
      const tarball = join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
      const unused = ['*.map', '*.d.ts', 'package/README.md'].map((pattern) => `--exclude=${pattern}`)
      execFileSync('tar', [
        '-xzf',
        tarball,
        '--strip-components=1',
        '--no-same-owner',
        ...unused,
        '-C',
        target,
      ])
    } else {
      checkVersion(join(root, place), version)
      cpSync(join(root, place), target, {
        recursive: true,
        // What is nested has an entry of its own.
        filter: (file) =>
          !UNUSED.test(file) && !file.slice(join(root, place).length).includes('/node_modules'),
      })
    }
  }
}

function checkVersion(folder: string, expected: string): void {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  if (version === expected) return
  throw new Error(`${folder} has version ${version}, the lock says ${expected}. Run npm ci.`)
}
