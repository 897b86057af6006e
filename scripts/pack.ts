/**
 * `npm run pack -- --out <folder>`: creates the tarballs to publish, one for each public package. In the repository
 * a package's exports point to its sources, so that nothing must be built; when published they point to dist. npm
 * cannot change exports while packing, and changing package.json in place would affect anything running at the same
 * time. So each package is assembled and packed in a separate folder.
 */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
}

const repository = fileURLToPath(new URL('../', import.meta.url))
const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist' } } })
const out = resolve(values.out)

const folders = readdirSync(join(repository, 'packages'))
  .sort()
  .map((name) => join(repository, 'packages', name))
  // A package that was moved away leaves its build behind.
  .filter((folder) => existsSync(join(folder, 'package.json')))
  .filter((folder) => readManifest(folder).private !== true)

mkdirSync(out, { recursive: true })
const compiler = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
const compiled = folders.filter((folder) => !isBundled(readManifest(folder)))
execFileSync(process.execPath, [compiler, '-b', ...compiled], { stdio: ['ignore', 'inherit', 'inherit'] })
execFileSync('npm', ['run', '--silent', 'build:dashboard'], {
  cwd: repository,
  stdio: ['ignore', 'ignore', 'inherit'],
})
for (const folder of folders) pack(folder)

/** The dashboard: nobody imports it, the server sends its files. */
function isBundled({ exports }: Manifest): boolean {
  return !('.' in exports)
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function pack(folder: string): void {
  const manifest = readManifest(folder)
  const stage = mkdtempSync(join(tmpdir(), 'skein-pack-'))
  try {
    for (const name of manifest.files.filter((file) => file !== 'dist' || isBundled(manifest))) {
      cpSync(join(folder, name), join(stage, name), { recursive: true })
    }
    if (!isBundled(manifest)) copyBuild(folder, stage)
    copyFileSync(join(repository, 'LICENSE'), join(stage, 'LICENSE'))
    copyFileSync(join(folder, 'README.md'), join(stage, 'README.md'))
    const shown = { ...published(manifest), ...describeProject(folder) }
    writeFileSync(join(stage, 'package.json'), JSON.stringify(shown, null, 2))
    execFileSync('npm', ['pack', '--silent', '--pack-destination', out], { cwd: stage, stdio: 'inherit' })
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Only files with an existing source: dist also contains builds of deleted files. */
function copyBuild(folder: string, stage: string): void {
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
  for (const source of sources.filter((file) => file.endsWith('.ts'))) {
    for (const extension of ['.js', '.d.ts']) {
      const built = join('dist', source.replace(/\.ts$/, extension))
      mkdirSync(dirname(join(stage, built)), { recursive: true })
      // The source maps refer to sources that are not in the tarball, so both they and the references are removed.
      const text = readFileSync(join(folder, built), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
      writeFileSync(join(stage, built), text)
    }
  }
}

function published(manifest: Manifest): object {
  const {
    devDependencies: _development,
    scripts: _scripts,
    ...rest
  }: Manifest & Record<string, unknown> = {
    ...manifest,
  }
  if (isBundled(manifest)) return rest
  return {
    ...rest,
    exports: Object.fromEntries(
      Object.entries(manifest.exports).map(([path, source]) => [
        path,
        { types: toBuilt(source, '.d.ts'), default: toBuilt(source, '.js') },
      ]),
    ),
    ...(manifest.bin && {
      bin: Object.fromEntries(
        // Files in bin are plain JavaScript, so that an old Node can report that it is too old.
        Object.entries(manifest.bin).map(([name, file]) => [
          name,
          file.startsWith('./bin/') ? file : toBuilt(file, '.js'),
        ]),
      ),
    }),
  }
}

/** Fields shared by all packages come from the repository's manifest. */
function describeProject(folder: string): object {
  const manifest: unknown = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const { keywords, homepage, bugs, repository: host } = manifest as Readonly<Record<string, object>>
  const directory = `packages/${basename(folder)}`
  return {
    keywords,
    homepage,
    bugs,
    repository: { ...host, directory },
    publishConfig: { access: 'public', provenance: true },
  }
}

function toBuilt(source: string, extension: '.js' | '.d.ts'): string {
  const [, path] = /^\.\/src\/(.+)\.ts$/.exec(source) ?? []
  if (path === undefined) throw new Error(`${source} is not a source of the package`)
  return `./dist/${path}${extension}`
}
