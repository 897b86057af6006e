import type { Skein } from '@skein/client'
import { inlineScript, type SimulatorStep } from '@skein/simulator'

/** Work for the simulator: the words are for people, the script is what it plays. */
export function scripted(words: string, steps: readonly SimulatorStep[]): string {
  return `${words}\n\n${inlineScript(steps)}`
}

const LONG = 600_000

/** A small fleet with something of everything: at work, asking, with children, failed, done. */
export async function seedFleet(skein: Skein): Promise<void> {
  const workspace = 'sample'
  await skein.spawn({
    name: 'changelog',
    workspace,
    description: scripted('Write the changelog for the next release.', [
      { say: 'I will look at the history first.', shell: 'git log --oneline | head -20' },
      { write: { path: 'CHANGELOG.md', text: '# Changelog\n\n- The first release.\n' } },
      { shell: 'git add -A && git commit -qm "docs: changelog" && git push -q origin HEAD' },
      { tool: 'finish', input: { result: 'The changelog is written.' } },
      { say: '**Done.** The changelog has one entry, in `CHANGELOG.md`.' },
    ]),
    labels: { team: 'docs' },
    maxCost: 2,
  })
  await skein.spawn({
    name: 'migration',
    workspace,
    description: scripted('Plan the migration of the orders table.', [
      {
        say: 'There are two ways to do this:\n\n1. In place, with a lock of about 4 minutes.\n2. Beside it, with a copy.',
        tool: 'ask_for_input',
        input: {
          question: 'May the orders table be **locked for 4 minutes** on Sunday night, or must it stay open?',
        },
      },
      { say: 'I wait for your answer.' },
    ]),
    tasks: [
      { id: 'plan', subject: 'Write the plan' },
      { id: 'rehearse', subject: 'Rehearse on a copy', blockedBy: ['plan'] },
      { id: 'run', subject: 'Run it in production', blockedBy: ['rehearse'] },
    ],
    labels: { team: 'payments' },
    maxCost: 5,
  })
  await skein.spawn({
    name: 'release',
    workspace,
    description: scripted('Prepare the release with two children.', [
      {
        tool: 'spawn_child',
        input: {
          name: 'tests',
          task: scripted('Run the whole test suite.', [{ say: 'The tests run…', delayMs: LONG }]),
        },
      },
      {
        tool: 'spawn_child',
        input: {
          name: 'notes',
          task: scripted('Write the release notes.', [
            { tool: 'finish', input: { result: 'Written.' } },
            { say: 'Written.' },
          ]),
        },
      },
      { tool: 'wait_for_children' },
      { say: 'I wait for the tests.' },
    ]),
    labels: { team: 'platform' },
    maxCost: 10,
  })
  await skein.spawn({
    name: 'flaky-test',
    workspace,
    description: scripted('Find out why the checkout test is flaky.', [
      { error: 400, message: 'This model does not take pictures.', times: 'always' },
    ]),
    labels: { team: 'payments' },
  })
  await skein.spawn({
    name: 'upgrade-node',
    workspace,
    description: scripted('Upgrade to the newest Node.', [
      { say: 'I read the release notes, then I change `package.json`.', shell: 'ls -la' },
      { say: 'This takes a while.', delayMs: LONG },
    ]),
    labels: { team: 'platform' },
  })
  const later = skein.agent(`${workspace}/upgrade-node`)
  await later.send('Check the Dockerfile too.')
  await later.send('Tell me how far you are.', { deliverAt: new Date(Date.now() + 3_600_000).toISOString() })
}
