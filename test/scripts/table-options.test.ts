import { expect, test } from 'bun:test'
import { withTableOptions } from '../../scripts/generate-migrations/table-options.ts'

test('generated migrations of SQLite have table options, also for recreated tables', () => {
  const made = (table: string) => `CREATE TABLE \`${table}\` (\n\t\`id\` text PRIMARY KEY NOT NULL\n)`
  const drop = 'DROP TABLE `users`;'
  const migration = [...['teams', 'user_rewards', '__new_onboardings'].map(table => `${made(table)};`), drop]
  expect(withTableOptions(migration.join('\n'))).toBe(
    [
      `${made('teams')} STRICT;`,
      `${made('user_rewards')} STRICT, WITHOUT ROWID;`,
      `${made('__new_onboardings')} STRICT, WITHOUT ROWID;`,
      drop,
    ].join('\n'),
  )
})
