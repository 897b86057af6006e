import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SetupScript } from '../../src/workspace/run-setup.ts'
import { GitWorld, type AgentOptions, type TestAgent } from './git-world.ts'

let world: GitWorld
let upstream: string

beforeEach(async () => {
  world = await GitWorld.start()
  upstream = await world.addUpstream('shop', {
    'a.txt': 'a\n',
    'gone.txt': 'g\n',
    'build.sh': 'echo built by base\n',
    '.gitignore': 'deps\n',
  })
})

afterEach(async () => {
  await world.stop()
})

function setup(script: string, other: Partial<SetupScript> = {}): SetupScript {
  return {
    script,
    variables: { COLOUR: 'blue' },
    secrets: { TOKEN: 'hunter2hunter2' },
    timeoutMs: 10_000,
    maxBytes: 100 * 1024 * 1024,
    ...other,
  }
}

function open(script: SetupScript, options: Partial<AgentOptions> = {}): Promise<TestAgent> {
  return world.openAgent('docs', { repos: [upstream], setup: script, ...options })
}

describe('the script', () => {
  test('runs once in a new workspace, with its variables, and its secrets are not shown', async () => {
    const script = setup('ls; cat; echo "$COLOUR $TOKEN"; echo "$TOKEN" >&2; echo once >> deps')
    const agent = await open(script)
    expect(agent.setupOutcome).toEqual({
      status: 'done',
      code: 0,
      output: 'a.txt\nbuild.sh\ngone.txt\nblue [secret]\n[secret]\n',
    })
    await agent.end()
    const again = await open(script)
    expect(again.setupOutcome).toBeUndefined()
    expect(await again.run('cat deps')).toBe('once\n')
  })

  test('that fails is retried in the next run, in a new folder', async () => {
    const failed = await open(setup('echo oh; ls deps || :; touch deps; false; echo never'), { repos: [] })
    expect(failed.setupOutcome).toMatchObject({ status: 'failed', code: 1 })
    expect(failed.setupOutcome?.output).toMatch(/^oh\nls: /)
    await failed.end()
    const done = await open(setup('ls; echo "$HOME" | sed s,.*/,,'), { repos: [] })
    expect(done.setupOutcome).toMatchObject({ status: 'done', output: 'home\n' })
  })

  test('that does not end is ended, and what it prints is bounded', async () => {
    const script = setup('while :; do echo "$TOKEN$TOKEN$TOKEN$TOKEN$TOKEN$TOKEN"; done', {
      timeoutMs: 1_000,
    })
    const { setupOutcome: outcome } = await open(script, { repos: [] })
    expect(outcome).toMatchObject({ status: 'timed-out' })
    expect(outcome?.output.length).toBe(64 * 1024)
    expect(outcome?.output).not.toContain('hunter2')
  })

  test('that leaves too much behind fails', async () => {
    const script = setup('head -c 3000000 /dev/urandom > deps; cp deps "$HOME/more"', {
      maxBytes: 4 * 1024 ** 2,
    })
    const { setupOutcome: outcome } = await open(script)
    expect(outcome).toMatchObject({
      status: 'too-large',
      output: expect.stringContaining('the limit is 4 MiB') as string,
    })
  })
})

describe('what it makes', () => {
  const script = setup(
    [
      'sh build.sh > deps',
      'mkdir -p own both; echo setup > own/x; echo setup > both/x; echo setup > late',
      'echo changed > a.txt; git add -A; git commit -qm set-up',
      'mkdir -p "$HOME/.cache"; echo cached > "$HOME/.cache/x"',
      'git config skein.test kept; touch .git/index.lock',
    ].join('; '),
  )
  const LOOK =
    'cat deps own/x both/x late a.txt; ls; cat "$HOME/.cache/x"; git config skein.test; git status --porcelain'

  test('stays where git does not track it, and tracked files are those of the base', async () => {
    const agent = await open(setup('sh build.sh > deps; mkdir own; echo x > own/x; echo changed > a.txt'))
    expect(await agent.run('cat deps a.txt; git status --porcelain; git log --format=%s')).toBe(
      'built by base\na\n?? own/\nfirst\n',
    )
  })

  test('never replaces what the agent has, committed, pushed or unfinished, on the next host', async () => {
    const agent = await open(script)
    await agent.run(
      'git reset -q --hard origin/main; rm -rf own late both deps; git rm -q gone.txt; echo "echo evil" > build.sh; echo mine > a.txt; git add -A; git commit -qm work; git push -q',
    )
    await agent.run('mkdir both; echo unfinished > both/x; mkdir late; echo file > late/in; rm -rf own')
    await agent.save()
    await agent.end()
    const next = await open(script, { host: await world.addHost() })
    expect(next.setupOutcome?.status).toBe('done')
    expect(await next.run(`cat late/in; ${LOOK.replace(' late ', ' ')}`)).toBe(
      [
        'file',
        'built by base',
        'setup',
        'unfinished',
        'mine',
        'a.txt',
        'both',
        'build.sh',
        'deps',
        'late',
        'own',
        'cached',
        'kept',
        '?? both/',
        '?? late/',
        '?? own/',
        '',
      ].join('\n'),
    )
    expect(await next.run('git log --format=%s -1; cat build.sh')).toBe('work\necho evil\n')
  })

  test('a link of the script leads the agent’s work nowhere', async () => {
    const agent = await open(setup('true'))
    await agent.run('mkdir dir; echo mine > dir/file; git add -A; git commit -qm dir; git push -q')
    await agent.end()
    const host = await world.addHost()
    const next = await open(
      setup('mkdir "$HOME/target"; ln -s "$HOME/target" dir; ln -s /etc/passwd a.txt -f'),
      { host },
    )
    expect(
      await next.run('cat dir/file a.txt; test ! -L dir; ls "$HOME/target"; git status --porcelain'),
    ).toBe('mine\na\n')
  })
})

describe('an agent that comes back', () => {
  const script = setup('sh build.sh; cat "$HOME/.profile" 2>&1 || :; echo "$TOKEN" | wc -c')
  const clean = expect.stringMatching(/^built by base\ncat: .*No such file or directory\n15\n$/) as string

  test('to a folder that it has destroyed gets a new one, with nothing of it while the script runs', async () => {
    const agent = await open(script)
    await agent.run('echo evil > build.sh; echo evil > "$HOME/.profile"; git commit -qam evil; git push -q')
    await agent.run('rm -rf .git; ln -s / out; mkdir locked; chmod 000 locked')
    await agent.end()
    const again = await open(script)
    expect(again.setupOutcome).toMatchObject({ status: 'done', output: clean })
    expect(await again.run('cat build.sh; ls "$HOME"')).toBe('evil\n')
  })

  test('keeps the work in its other repositories', async () => {
    const other = await world.addUpstream('other', { 'b.txt': 'b\n' })
    const repos = [upstream, other]
    const first = await open(setup('cat shop/build.sh'), { repos })
    await first.run('echo unsaved > other/new.txt; rm -rf shop/.git')
    await first.end()
    const again = await open(setup('cat shop/build.sh; ls other'), { repos })
    expect(again.setupOutcome?.output).toBe('echo built by base\nb.txt\n')
    expect(await again.run('cat other/new.txt')).toBe('unsaved\n')
  })

  test('after its environment got a script has it run in a new folder, and keeps its work', async () => {
    const agent = await world.openAgent('docs', { repos: [upstream] })
    await agent.run('echo evil > build.sh; echo evil > "$HOME/.profile"; echo new > new.txt')
    await agent.end()
    const again = await open(script)
    expect(again.setupOutcome).toMatchObject({ output: clean })
    expect(await again.run('cat build.sh new.txt')).toBe('evil\nnew\n')
  })
})
