import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMigrationFiles } from '../src/schema/migration-files.ts'
import { planMigrations } from '../src/schema/migration-plan.ts'

const file = (fileName: string, text = `select '${fileName}'`) => ({ fileName, text })
const three = [file('0001_one.sql'), file('0002_two.sql'), file('0003_three.sql')]

describe('the list of migration files', () => {
  test('is ordered by number, however the directory lists it', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(three, { minLength: 3 }), (shuffled) => {
        expect(parseMigrationFiles(shuffled).map(({ number }) => number)).toEqual([1, 2, 3])
      }),
    )
  })

  test('may be empty', () => {
    expect(parseMigrationFiles([])).toEqual([])
  })

  test('refuses a number used twice', () => {
    expect(() => parseMigrationFiles([...three, file('0002_other.sql')])).toThrow(
      /have the same number.*next free number/,
    )
  })

  test('refuses a gap', () => {
    expect(() => parseMigrationFiles([file('0001_one.sql'), file('0003_three.sql')])).toThrow(
      /0002 is missing: the next file is 0003_three\.sql.*Restore/,
    )
  })

  test('refuses to start anywhere but at 1', () => {
    expect(() => parseMigrationFiles([file('0000_zero.sql')])).toThrow(/0001 is missing/)
  })

  test.each(['1_short.sql', '0001-dashes.sql', '0001_Upper.sql', '0001.sql'])(
    'refuses the name %s',
    (name) => {
      expect(() => parseMigrationFiles([file(name)])).toThrow(/NNNN_what_it_does\.sql/)
    },
  )

  test.each(['begin;\nselect 1', 'select 1; COMMIT;', 'select 1;\n\nrollback', 'start  transaction'])(
    'refuses a file that manages transactions itself: %j',
    (sql) => {
      expect(() => parseMigrationFiles([file('0001_a.sql', sql)])).toThrow(/Remove it/)
    },
  )

  test('accepts the same words in a function body, a string or a comment', () => {
    const sql = `-- don't;\ncommit_log int; /* ; rollback */\ndo $x$\nbegin\n perform 1;\n commit;\nend $x$; select '; begin'`
    expect(parseMigrationFiles([file('0001_a.sql', sql)])).toHaveLength(1)
  })

  test('computes the same checksum for a Windows checkout', () => {
    const [unix] = parseMigrationFiles([file('0001_a.sql', 'select 1;\nselect 2;\n')])
    const [windows] = parseMigrationFiles([file('0001_a.sql', 'select 1;\r\nselect 2;\r\n')])
    expect(windows?.checksum).toBe(unix?.checksum)
  })
})

describe('the plan', () => {
  const files = parseMigrationFiles(three)

  test('applies what is missing and reports what is newer, for every pair of versions', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.nat(3), (shipped, applied) => {
        const plan = planMigrations(files.slice(0, shipped), files.slice(0, applied))
        expect(plan.pending).toEqual(files.slice(applied, shipped))
        expect(plan.newer).toEqual(files.slice(shipped, applied))
      }),
    )
  })

  test('refuses a file that was edited after it was applied', () => {
    const edited = parseMigrationFiles([file('0001_one.sql', 'select 2')])
    expect(() => planMigrations(edited, files)).toThrow(/0001_one\.sql differs.*new migration/)
  })

  test('refuses a record with a hole in it', () => {
    expect(() => planMigrations(files, files.slice(1))).toThrow(/has migration 0002_two but not 0001/)
  })
})
