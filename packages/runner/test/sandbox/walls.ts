import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@skein/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { NetworkPolicy } from '../../src/sandbox/sandbox.ts'
import { findProcesses, openSandbox, readProc, requireBubblewrap } from './sandbox-fixture.ts'

/** Runs inside: opens whatever is there, and writes nothing, so that a missing wall does no harm. */
const tryKernelFiles = `
  const { constants, closeSync, openSync, readdirSync } = require('node:fs')
  const opened = []
  let tried = 0
  const walk = (dir) => {
    let entries = []
    try { entries = readdirSync(dir, { withFileTypes: true }) } catch {}
    for (const entry of entries) {
      const path = dir + '/' + entry.name
      if (entry.isDirectory()) walk(path)
      // A link leads to what the process has open already.
      if (!entry.isFile()) continue
      tried += 1
      try {
        closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK))
        opened.push(path)
      } catch {}
    }
  }
  walk('/proc')
  walk('/sys')
  console.log(JSON.stringify({ tried, opened }))
`

const policies: readonly NetworkPolicy[] = ['open', 'none']

/** The barriers between an agent and the host, whatever user the runner is. */
export function describeWalls(who: string): void {
  describe.skipIf(process.platform !== 'linux').each(policies)(
    `bubblewrap of ${who}, network %s`,
    (network) => {
      requireBubblewrap()
      const open = (overrides = {}) => openSandbox('bubblewrap', { network, ...overrides })

      test.each(['/root', '/etc/shadow', '/sys', '/boot', '/var/lib', '/home', homedir()])(
        'an agent cannot read %s',
        async (path) => {
          const { run } = await open()
          const { stdout, code } = await run(`ls -A ${path} && cat ${path}/* ${path}`)
          expect(code).not.toBe(0)
          expect(stdout).toBe('')
        },
      )

      test('an agent sees of the root only what a program needs', async () => {
        const { run } = await open()
        const { stdout } = await run('ls -A / /etc | sort')
        const names = stdout.split('\n').filter((name) => name !== '' && !/^(\/|lib|work$)/.test(name))
        const needed = [
          'bin',
          'sbin',
          'usr',
          'etc',
          'dev',
          'proc',
          'run',
          'tmp',
          'var',
          'alternatives',
          'ssl',
          'pki',
        ]
        const files = [
          'passwd',
          'group',
          'hosts',
          'nsswitch.conf',
          'ld.so.cache',
          'resolv.conf',
          'crypto-policies',
        ]
        const ofNode = process.execPath.split('/')[1]
        expect(names.filter((name) => ![...needed, ...files, ofNode].includes(name))).toEqual([])
      })

      test('the private keys next to the certificates are not visible', async () => {
        const { run } = await open()
        expect(await run('ls /etc/ssl/certs | wc -l; test ! -e /etc/ssl/private')).toMatchObject({ code: 0 })
      })

      test('an agent cannot read anything next to its directories, such as those of another agent', async () => {
        const { run, base } = await open()
        await mkdir(join(base, 'other/work'), { recursive: true })
        await writeFile(join(base, 'other/work/secret'), 'of another agent')
        const { stdout, code } = await run(`ls ${base}; cat ${base}/other/work/secret`)
        expect(stdout).toBe('state\nwork\n')
        expect(code).not.toBe(0)
      })

      test('a link in the workspace that points out of it leads nowhere', async () => {
        const { run, base } = await open()
        await writeFile(join(base, 'secret'), 'of the runner')
        await symlink(join(base, 'secret'), join(base, 'work/link'))
        await symlink('/etc/shadow', join(base, 'work/shadow'))
        const { stdout, code } = await run('ln -s /root root; cat link shadow; ls root/; cat ../secret')
        expect(stdout).toBe('')
        expect(code).not.toBe(0)
      })

      test('an agent sees no process of the host', async () => {
        const { run } = await open()
        const { stdout } = await run('for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; echo; done')
        const strangers = stdout
          .split('\n')
          .filter((line) => line !== '' && !/^(bwrap|sh|tr|\S*\/node) /.test(line))
        expect(strangers).toEqual([])
        expect(stdout.split('\n').length).toBeLessThan(10)
      })

      test('an agent cannot read the environment of the runner', async () => {
        const { run } = await open()
        const { stdout } = await run('cat /proc/*/environ | tr "\\0" "\\n"', { env: { OWN: 'yes' } })
        expect(stdout).toContain('OWN=yes')
        for (const name of ['VITEST', 'SHELL', 'NODE_ENV']) expect(stdout).not.toContain(`${name}=`)
      })

      test('an agent cannot signal a process of the host', async () => {
        const { run } = await open()
        expect((await run(`kill -0 ${process.pid}; kill -0 ${process.ppid}`)).code).not.toBe(0)
      })

      test('an agent can write only where it is meant to', async () => {
        const readOnly = await mkdtemp(join(tmpdir(), 'skein-shown-'))
        onTestFinished(() => rm(readOnly, { recursive: true }))
        await writeFile(join(readOnly, 'shown'), 'as it was')
        const { run, base } = await open({ readOnlyPaths: [readOnly] })
        const { stdout } = await run(
          `cat ${readOnly}/shown; echo
       for dir in / /usr /usr/bin /etc /run /run/skein /dev /proc /var ${readOnly}; do
         (echo x >$dir/written) 2>/dev/null && echo "wrote to $dir"
       done
       for file in /etc/passwd /etc/ssl/certs/ca-certificates.crt ${readOnly}/shown; do
         (echo x >>$file) 2>/dev/null && echo "wrote to $file"
       done
       for dir in ${base}/work ${base}/state /tmp /var/tmp /dev/shm; do
         echo x >$dir/written || echo "could not write to $dir"
       done`,
        )
        expect(stdout).toBe('as it was\n')
        expect(await readFile(join(readOnly, 'shown'), 'utf8')).toBe('as it was')
        expect(existsSync(join(base, 'work/written'))).toBe(true)
      })

      test('no file of the kernel can be opened for writing', async () => {
        const { run } = await open()
        const { stdout, stderr } = await run('', { program: process.execPath, args: ['-e', tryKernelFiles] })
        expect(stderr).toBe('')
        expect(JSON.parse(stdout)).toEqual({ tried: expect.any(Number) as unknown, opened: [] })
        expect((JSON.parse(stdout) as { tried: number }).tried).toBeGreaterThan(1000)
      })

      test('an agent cannot have the host run a program of its own when a process crashes', async () => {
        const { run } = await open()
        // Its own value, so that the host is left as it was even where the wall is missing.
        const { stdout } = await run(
          'old=$(cat /proc/sys/kernel/core_pattern) && { echo "$old" >/proc/sys/kernel/core_pattern || echo refused; }',
        )
        expect(stdout).toBe('refused\n')
      })

      test('the temporary directories are private', async () => {
        const { run, base } = await open()
        const name = `${base.split('/').at(-1)}-note`
        expect(await run(`touch /tmp/${name} /var/tmp/${name} /dev/shm/${name}`)).toMatchObject({ code: 0 })
        for (const dir of ['/tmp', '/var/tmp', '/dev/shm']) expect(readdirSync(dir)).not.toContain(name)
      })

      test('the temporary directories cannot fill the memory of the host', async () => {
        const { run } = await open()
        for (const dir of ['/tmp', '/var/tmp', '/dev/shm']) {
          const { stdout } = await run(`stat -f -c '%b %S' ${dir}`)
          const [blocks = NaN, size = NaN] = stdout.split(' ').map(Number)
          expect(blocks * size).toBe(1024 ** 3)
        }
      })

      test('nothing can be mounted again to be writable', async () => {
        const { run } = await open()
        const attempts = ['/', '/usr', '/dev', '/proc'].map(
          (path) =>
            `mount -o remount,rw,bind ${path} && echo remounted ${path}; umount ${path} && echo unmounted ${path}`,
        )
        const { stdout } = await run(
          `${attempts.join('; ')}; mount -t tmpfs none /tmp && echo mounted; touch /usr/x`,
        )
        expect(stdout).toBe('')
        expect(existsSync('/usr/x')).toBe(false)
      })

      test('no user namespace can be created inside', async () => {
        const { run } = await open()
        expect((await run('unshare --user --map-root-user true')).code).not.toBe(0)
      })

      test('an agent has no capability and can get none', async () => {
        const { run } = await open()
        const { stdout } = await run(
          'grep -E "^(Cap|NoNewPrivs)" /proc/self/status; id -u; cat /etc/passwd | wc -l',
        )
        expect(stdout.match(/^Cap\w+:\s+0+$/gm)).toHaveLength(5)
        expect(stdout).toMatch(/NoNewPrivs:\s+1\n1000\n1\n/)
      })

      test('no device can be created', async () => {
        const { run } = await open()
        expect((await run('mknod disk b 254 0')).code).not.toBe(0)
      })

      test('variables reach the program only: not bubblewrap, and no command line on the host', async () => {
        const { sandbox } = await open()
        const env = { TOKEN: 'tok-81b0c3', LD_PRELOAD: '' }
        const program = sandbox.spawn({ program: 'cat', args: [], env, workDir: sandbox.spec.workDir })
        program.stdin.write('ready')
        await waitFor(() => program.stdout.read() !== null, { what: 'the program' })
        const ofBubblewrap = readdirSync('/proc').filter((pid) =>
          readProc(pid, 'cmdline').startsWith('bwrap\0'),
        )
        const ours = ofBubblewrap.filter((pid) => readProc(pid, 'cmdline').includes(sandbox.spec.id))
        expect(ours).toHaveLength(2)
        for (const pid of ours) expect(readProc(pid, 'environ')).toMatch(/^(PATH=[^\0]*\0)?$/)
        expect(findProcesses('tok-81b0c3')).toEqual([])
      })

      test('an agent can commit to a repository', async () => {
        const { run } = await open()
        const { stdout, stderr } = await run(
          `git init -q . && echo text >file && git add file &&
       git -c user.name=a -c user.email=a@localhost commit -qm first && git log --format=%s`,
        )
        expect({ stdout, stderr: stderr.replaceAll(/^hint:.*\n/gm, '') }).toEqual({
          stdout: 'first\n',
          stderr: '',
        })
      })

      test('an agent finds Node', async () => {
        const { run } = await open()
        expect(await run('node -p 6*7')).toMatchObject({ stdout: '42\n' })
        expect(await run(`${process.execPath} --version`)).toMatchObject({ stdout: `${process.version}\n` })
      })
    },
  )
}
