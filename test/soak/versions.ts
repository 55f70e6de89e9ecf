/** Versions of Matchday for a rolling update: this one, a simulated next one, and the previous one of the git history. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { type Program, root } from '../support/executable.ts'

export interface Version {
  name: string
  program: Program
  /** Runs a command on a database, and returns its output. @throws Error with its output unless it exits with 0 */
  run(script: string, url: string): Promise<string>
  remove(): void
}

const versionIn = (folder: string, name: string, remove = () => {}): Version => ({
  name,
  program: { command: [process.execPath, 'src/main.ts'], cwd: folder, PATH: process.env.PATH ?? '' },
  run: (script, url) =>
    output([process.execPath, `scripts/${script}.ts`], folder, { NODE_ENV: 'test', DATABASE_URL: url }),
  remove,
})

export const current = versionIn(root, 'this version')

async function output(command: string[], cwd = root, env: Record<string, string> = {}): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const child = Bun.spawn(command, { cwd, env: { PATH, HOME, ...env }, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${out}${err}`)
  return out
}

async function inFolder(make: (folder: string) => Promise<string>): Promise<Version> {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-version-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    return versionIn(folder, await make(folder), remove)
  } catch (error) {
    remove()
    throw error
  }
}

/** The additions of the next version, whose code fills columns that this version does not know. */
const NEXT_MIGRATION = [
  'CREATE TABLE "next_badges" ("user_id" text COLLATE "C" PRIMARY KEY NOT NULL, "badge" text NOT NULL)',
  'ALTER TABLE "user_rewards" ADD COLUMN "next_note" text',
  'ALTER TABLE "users" ADD COLUMN "next_level" bigint DEFAULT 1 NOT NULL',
  'CREATE INDEX "user_rewards_next_note" ON "user_rewards" USING btree ("next_note")',
  'ALTER TABLE "next_badges" ADD CONSTRAINT "next_badges_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id")',
]
const NEXT_CODE = {
  'db/schema/play/rewards.ts': [
    ['usedBy: text(),', "usedBy: text(),\n      nextNote: text().$defaultFn(() => 'next'),"],
  ],
  'db/schema/identity/users.ts': [
    ['bio: text(),', 'bio: text(),\n      nextLevel: integer().notNull().default(1),'],
  ],
} as const

/** The working tree with one more migration, and code that uses it. */
export const makeNext = () =>
  inFolder(async folder => {
    const files = await output(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'])
    for (const file of files.split('\0').filter(path => path !== '' && existsSync(join(root, path)))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      cpSync(join(root, file), join(folder, file))
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [path, changes] of Object.entries(NEXT_CODE)) {
      let text = await Bun.file(join(folder, path)).text()
      for (const [part, by] of changes) {
        if (!text.includes(part)) throw new Error(`${path} does not contain ${part}`)
        text = text.replace(part, by)
      }
      await Bun.write(join(folder, path), text)
    }
    const manifest = Bun.file(join(folder, 'package.json'))
    const product = await manifest.json()
    await manifest.write(JSON.stringify({ ...product, version: `${product.version}-next` }))
    const known = expectedMigrations('postgres')
    const migrations = join(folder, 'db/migrations/postgres')
    const journal = Bun.file(join(migrations, 'meta/_journal.json'))
    const { entries, ...rest } = await journal.json()
    const next = {
      ...entries.at(-1),
      idx: known.length,
      when: (known.at(-1)?.folderMillis ?? 0) + 1,
      tag: 'next',
    }
    await journal.write(JSON.stringify({ ...rest, entries: [...entries, next] }))
    await Bun.write(join(migrations, 'next.sql'), NEXT_MIGRATION.join(';--> statement-breakpoint\n'))
    return 'the next version'
  })

/**
 * The sources of `PREVIOUS_VERSION`, a git revision. By default the newest tag before this commit. Without tags the parent of
 * the commit that added the newest migration; the newest commit, if that is the first migration or is not committed.
 */
export const checkOutPrevious = () =>
  inFolder(async folder => {
    const revision = process.env.PREVIOUS_VERSION ?? (await findPrevious())
    const commit = await git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`)
    if (commit === '')
      throw new Error(
        `this clone has no commit ${revision}: fetch it with \`git fetch --unshallow --tags\`, or set PREVIOUS_VERSION to another revision`,
      )
    await output(['git', 'archive', '--output', join(folder, 'sources.tar'), commit])
    await output(['tar', '-xf', 'sources.tar'], folder)
    await output([process.execPath, 'install', '--frozen-lockfile', '--production'], folder)
    return `${revision} (${commit.slice(0, 7)})`
  })

/** The first line of the output, empty if git finds nothing. */
const git = async (...command: string[]) =>
  (await output(['git', ...command]).catch(() => '')).split('\n')[0] ?? ''

async function findPrevious(): Promise<string> {
  const tag = await git('describe', '--tags', '--abbrev=0', 'HEAD^')
  if (tag !== '') return tag
  const [, second] = expectedMigrations('postgres')
  // Nothing older has the first migration: a development version is not updated.
  if (second === undefined) return 'HEAD'
  const newest = `db/migrations/postgres/${expectedMigrations('postgres').at(-1)?.name}.sql`
  const added = await git('log', '--diff-filter=A', '--format=%H', '--', newest)
  return added === '' ? 'HEAD' : `${added}^`
}
