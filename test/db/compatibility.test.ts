/** Old and new versions serve side by side during a release: a migration only adds, or says which versions run on it. */
import { describe, expect, test } from 'bun:test'
import { compatibility } from '../../db/compatibility.ts'
import { expectedMigrations } from '../../db/expected-schema.ts'

/** Statements of a migration that an older version might not run on. Empty if it only adds. */
function findChanges(statements: string[]): string[] {
  const plain = statements.map(withoutComments).filter(statement => statement !== '')
  const created = new Set(
    plain.flatMap(statement => /^CREATE TABLE [`"](\w+)[`"]/i.exec(statement)?.[1] ?? []),
  )
  return plain.filter(statement => !isAddition(statement, created))
}

const withoutComments = (statement: string) =>
  statement
    .replace(/\/\*[\s\S]*?\*\/|--.*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/;$/, '')

/** `created`: the tables that the same migration creates, which no older version writes. */
function isAddition(statement: string, created: Set<string>): boolean {
  // SQLite changes a table by copying it to a new one.
  if (/^CREATE TABLE [`"]\w+[`"] /i.test(statement)) return !/^CREATE TABLE [`"]__new_/i.test(statement)
  const [, unique, indexed = ''] =
    /^CREATE (UNIQUE )?INDEX [`"]\w+[`"] ON [`"](\w+)[`"]/i.exec(statement) ?? []
  if (indexed) return !unique || created.has(indexed)
  const [, altered = '', change = ''] = /^ALTER TABLE [`"](\w+)[`"] (.*)$/i.exec(statement) ?? []
  if (created.has(altered)) return true
  // A column without a value in the rows of older versions. References and checks could refuse these rows.
  const adds =
    /^ADD (COLUMN )?[`"]\w+[`"] /i.test(change) && !/\b(REFERENCES|CHECK|UNIQUE|GENERATED)\b/i.test(change)
  return adds && (!/NOT NULL/i.test(change) || /\bDEFAULT\b/i.test(change))
}

describe('A migration that only adds', () => {
  test.each([
    'CREATE TABLE "badges" ("id" text PRIMARY KEY NOT NULL)',
    'CREATE INDEX "users_name" ON "users" USING btree ("name")',
    'CREATE INDEX `users_name` ON `users` (`name`)',
    'ALTER TABLE "users" ADD COLUMN "nickname" text',
    'ALTER TABLE `users` ADD `nickname` text',
    'ALTER TABLE "users" ADD COLUMN "level" bigint DEFAULT 1 NOT NULL;',
    '-- Why.\nALTER TABLE "users" ADD COLUMN "nickname" text',
  ])('%s', statement => {
    expect(findChanges([statement])).toEqual([])
  })

  test('is also a constraint of a table that the same migration creates', () => {
    const table = 'CREATE TABLE "badges" ("id" text NOT NULL)'
    const unique = 'CREATE UNIQUE INDEX "badges_id" ON "badges" ("id")'
    const key =
      'ALTER TABLE "badges" ADD CONSTRAINT "badges_user" FOREIGN KEY ("id") REFERENCES "users"("id")'
    expect(findChanges([table, unique, key])).toEqual([])
    expect(findChanges([unique, key])).toEqual([unique, key])
  })

  test.each([
    'ALTER TABLE "users" DROP COLUMN "bio"',
    'ALTER TABLE "users" RENAME COLUMN "bio" TO "about"',
    'ALTER TABLE "users" RENAME TO "fans"',
    'ALTER TABLE "users" ALTER COLUMN "bio" SET NOT NULL',
    'ALTER TABLE "users" ALTER COLUMN "bio" DROP NOT NULL',
    'ALTER TABLE "users" ALTER COLUMN "points" SET DATA TYPE integer',
    'ALTER TABLE "users" ADD COLUMN "level" bigint NOT NULL',
    'ALTER TABLE `users` ADD `team` text REFERENCES teams(id)',
    'ALTER TABLE "users" ADD CONSTRAINT "users_name" CHECK ("name" <> \'\')',
    'ALTER TABLE "users" DROP CONSTRAINT "users_pk"',
    'CREATE UNIQUE INDEX "users_name" ON "users" ("name")',
    'CREATE TABLE `__new_users` (`id` text)',
    'CREATE TRIGGER "t" BEFORE INSERT ON "users" BEGIN SELECT 1; END',
    'DROP INDEX "users_name"',
    'DROP TABLE "users"',
    'UPDATE "users" SET "bio" = null',
  ])('is not %s', statement => {
    expect(findChanges([statement])).toHaveLength(1)
  })
})

describe.each(['sqlite', 'postgres'] as const)('Migrations (%s)', engine => {
  const migrations = expectedMigrations(engine)
  const names = migrations.map(({ name }) => name)

  test('only add, or state which older versions run on them', () => {
    const changing = migrations
      // No version is older than the first.
      .slice(1)
      .filter(({ sql }) => findChanges(sql).length > 0)
      .map(({ name }) => name)
    expect(changing).toEqual(Object.keys(compatibility[engine]))
  })

  test('name migrations that exist, and not later ones', () => {
    for (const [name, { runsFrom }] of Object.entries(compatibility[engine])) {
      expect(names.slice(0, names.indexOf(name) + 1)).toContain(runsFrom)
    }
  })
})
