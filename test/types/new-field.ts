/**
 * `bun run types:field`: adds a profile field that is no text, the room of docs/recipes/own-room.md, and the capability of
 * docs/recipes/capability.md to a copy of the tree, compiles the copy, and runs the test of the capability. Fails when the field
 * takes a cast, or more than four files that are written by hand.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addCapability, capabilityFiles, writeProblems } from './capability.ts'
import { addRoom, ROOM_PROBLEMS } from './own-room.ts'

const root = join(import.meta.dir, '../..')
// Outside of the repository, whose `bun test` would find the tests of the copy.
const copy = mkdtempSync(join(tmpdir(), 'matchday-field-'))
process.on('exit', () => rmSync(copy, { recursive: true }))
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

symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
const parts = [
  'bunfig.toml',
  'docs',
  'package.json',
  'tsconfig.json',
  'src',
  'db',
  'mock-idp',
  'scripts',
  'test',
]
for (const part of parts)
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
await addCapability(copy)
await addRoom(copy)
rmSync(join(copy, ROOM_PROBLEMS.file))
writeProblems(copy)
if (readFileSync(join(copy, ROOM_PROBLEMS.file), 'utf8') !== ROOM_PROBLEMS.text)
  throw new Error('bun run problems writes other problems of the room: correct ROOM_PROBLEMS')
writeFileSync(join(copy, 'uses.ts'), uses)
const commands = ['import-fans', 'backfill-profiles', 'backfill-onboarding']
writeFileSync(
  join(copy, 'tsconfig.field.json'),
  JSON.stringify({
    extends: './tsconfig.json',
    include: [
      'uses.ts',
      'src/app',
      'src/fan/next-match',
      ...capabilityFiles,
      ...commands.map(name => `scripts/${name}.ts`),
    ],
    exclude: [],
  }),
)
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const { stdout, exitCode, resourceUsage } = Bun.spawnSync([
  process.execPath,
  tsc,
  '--noEmit',
  '-p',
  join(copy, 'tsconfig.field.json'),
])
const casts = Object.values(edits).flatMap(insertions =>
  insertions.filter(([, text]) => / as (?!const)/.test(text)),
)
const files = Object.keys(edits).length
const seconds = Number(resourceUsage.cpuTime.total) / 1_000_000
process.stdout.write(
  `${stdout}a field of integers: ${files} files and the generated migrations, ${seconds.toFixed(1)} s of tsc\n`,
)
// The copy is whole: the test runs as anywhere.
const tested = Bun.spawnSync([process.execPath, 'test', 'test/fan/thanks'], { cwd: copy })
process.stdout.write(tested.stderr)
const isRight = exitCode === 0 && tested.exitCode === 0
process.exitCode = isRight && casts.length === 0 && files <= MAX_FILES ? 0 : 1
