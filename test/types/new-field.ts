/**
 * `bun run types:field`: adds a profile field that is no text, and the room of docs/recipes/own-room.md, to a copy of the tree,
 * and compiles the copy. Fails when the field takes a cast, or more than four files that are written by hand.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addRoom } from './own-room.ts'

const root = join(import.meta.dir, '../..')
const copy = join(root, 'dist/types/field')
const MAX_FILES = 4

/** By file: what is inserted, and after what. */
const edits: Record<string, [after: string, inserted: string][]> = {
  'db/schema/identity/users.ts': [
    ['      locale: text(),\n', '      birthYear: integer(),\n'],
    ["          'displayName',\n", "          'birthYear',\n"],
  ],
  'src/identity/users/profile-fields.ts': [
    ["from '../../core/https-url.ts'\n", "import { Integer } from '../../core/schemas.ts'\n"],
    [
      'export const profileFields = {\n',
      `  birthYear: {
    expected: 'a year from 1900 to 2020',
    normalize: year => (year >= 1900 && year <= 2020 ? year : null),
    completes: false,
    mirror: null,
    example: 1990,
    input: () => Integer({ minimum: 1900, maximum: 2020, description: 'From 1900 to 2020.' }),
    plain: Integer({ description: 'Year of birth.' }),
  } satisfies ProfileField<number>,
`,
    ],
  ],
}

/** What callers then see: a number, and nothing else. */
const uses = `
import { pickProfile } from './src/identity/users/profile-fields.ts'
import type { Profile, ProfileChange } from './src/fan/profile/schema.ts'
import type { User } from './src/identity/users/users.ts'
export const change: typeof ProfileChange.static = { birthYear: 1990 }
// @ts-expect-error a text is no year
export const wrong: typeof ProfileChange.static = { birthYear: '1990' }
export const yearOf = (profile: typeof Profile.static): number | null => profile.birthYear
export const storedYearOf = (user: User): number | null => pickProfile(user).birthYear
`

rmSync(copy, { recursive: true, force: true })
for (const part of ['package.json', 'src', 'db', 'scripts'])
  cpSync(join(root, part), join(copy, part), {
    recursive: true,
    filter: path => !path.includes('node_modules'),
  })
for (const [file, insertions] of Object.entries(edits)) {
  let text = readFileSync(join(copy, file), 'utf8')
  for (const [after, inserted] of insertions) {
    if (text.split(after).length !== 2) throw new Error(`${file} does not have this once: ${after}`)
    text = text.replace(after, () => after + inserted)
  }
  writeFileSync(join(copy, file), text)
}
await addRoom(copy)
writeFileSync(join(copy, 'uses.ts'), uses)
const commands = ['import-fans', 'backfill-profiles', 'backfill-onboarding']
writeFileSync(
  join(copy, 'tsconfig.json'),
  JSON.stringify({
    extends: '../../../tsconfig.json',
    include: ['uses.ts', 'src/app', 'src/fan/next-match', ...commands.map(name => `scripts/${name}.ts`)],
    exclude: [],
  }),
)
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const { stdout, exitCode, resourceUsage } = Bun.spawnSync([process.execPath, tsc, '--noEmit', '-p', copy])
const casts = Object.values(edits).flatMap(insertions =>
  insertions.filter(([, text]) => / as (?!const)/.test(text)),
)
const files = Object.keys(edits).length
const seconds = Number(resourceUsage.cpuTime.total) / 1_000_000
process.stdout.write(
  `${stdout}a field of integers: ${files} files and the generated migrations, ${seconds.toFixed(1)} s of tsc\n`,
)
process.exitCode = exitCode === 0 && casts.length === 0 && files <= MAX_FILES ? 0 : 1
