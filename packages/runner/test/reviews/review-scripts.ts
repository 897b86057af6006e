import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a model does when it hears of its pull request: all that it knows is in the messages and its checklist. */
const REVIEW = `name: review
when: There is news about your pull request
steps:
  - tool: list_tasks
  - shell: |
      echo "after the review" >> work.txt
      git commit -qam "Do what the review asks for" && git push -q
  - tool: answer_thread
    each: '\${results.list_tasks.tasks}'
    input:
      thread: '\${item.thread}'
      text: 'Done in \${item.thread}.'
      resolve: true
  - say: All threads are answered.
`
const MERGED = `name: merged
when: was merged
steps:
  - tool: finish
    input:
      result: It is merged.
  - say: Bye.
`

/** With a label that starts agents, which it cannot set. */
const START = `name: start
when: You are asked to work on issue
steps:
  - shell: |
      seq 1 9 > "count-$(git branch --show-current | tr / -).txt"
      git add -A && git commit -qm "Count" && git push -q -u origin HEAD
  - tool: open_pull_request
    input:
      title: Count for the issue
      labels: [agent]
  - say: It is open.
`

/** For the simulator. Returns their folder. */
export async function writeScripts(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-scripts-'))
  await writeFile(join(folder, 'review.yaml'), REVIEW)
  await writeFile(join(folder, 'merged.yaml'), MERGED)
  await writeFile(join(folder, 'start.yaml'), START)
  return folder
}
