import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillTemplate, fillText, type TemplateValues } from '../src/script/fill-template.ts'
import { quoteWord } from '../src/shell.ts'

const values: TemplateValues = {
  prompt: "Fix the user's bug\n\nand test it",
  result: '{"tasks":[{"id":"t-1","open":true},{"id":"t-2"}],"count":2}',
  results: { list_tasks: '{"tasks":[]}', Bash: 'done' },
}

describe('a template', () => {
  test.each([
    ['${prompt|line}', "Fix the user's bug"],
    ['${prompt|line|quoted}', String.raw`'Fix the user'\''s bug'`],
    ['id ${result.tasks.0.id}', 'id t-1'],
    ['id ${result.tasks[1].id}!', 'id t-2!'],
    ['${results.Bash} ${results.list_tasks.tasks}', 'done []'],
    ['${results.finish ?? never}', 'never'],
    ['${result.tasks.7.id ?? none|quoted}', "'none'"],
    ['${result.toString ?? none}', 'none'],
    [
      '$HOME ${HOME} ${GIT_AUTHOR_NAME:-me} ${resulting}',
      '$HOME ${HOME} ${GIT_AUTHOR_NAME:-me} ${resulting}',
    ],
  ])('%s', (template, text) => {
    expect(fillText(template, values)).toBe(text)
  })

  test('that is all of a value keeps the type of what it stands for', () => {
    const template = {
      ids: '${result.tasks}',
      n: '${result.count}',
      list: ['${results.x ?? []}'],
      text: 'n=${result.count}',
    }
    expect(fillTemplate(template, values)).toEqual({
      ids: [{ id: 't-1', open: true }, { id: 't-2' }],
      n: 2,
      list: [[]],
      text: 'n=2',
    })
  })

  test('that was not found says so, with what there was', () => {
    expect(() => fillText('${result.task.id}', values)).toThrow(
      /^\$\{result\.task\.id\} was not found; .*"count":2/,
    )
    expect(() => fillText('${prompt|upper}', values)).toThrow(
      'unknown filter "upper"; allowed are quoted, line',
    )
  })
})

test('a quoted text comes through a real shell unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      // No argument of a process can hold a zero byte.
      fc.pre(!text.includes('\0'))
      const output = execFileSync('sh', ['-c', `printf %s ${quoteWord(text)}`], { encoding: 'utf8' })
      expect(output).toBe(text)
    }),
    { numRuns: 30, examples: [["it's"], ["''"], ['$(id) `id` \\ " \n']] },
  )
})
