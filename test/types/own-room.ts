/** The room of docs/recipes/own-room.md, as the page writes it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = readFileSync(join(import.meta.dir, '../../docs/recipes/own-room.md'), 'utf8')

/** By file: what the page changes, and into what. */
const EDITS: Record<string, [string | RegExp, string][]> = {
  'src/app/app.ts': [
    [/^import /m, "import { nextMatchRoutes } from '../fan/next-match/routes.ts'\nimport "],
    ['.use(dashboardRoutes(deps))', '$&.use(nextMatchRoutes(deps))'],
  ],
  'src/app/problem-types.ts': [
    [/^import /m, "import { nextMatchProblems } from '../fan/next-match/problems.ts'\nimport "],
    ['  profileProblems,', '$& nextMatchProblems,'],
  ],
}

/** What `bun run problems` writes for it, which takes many seconds of CPU time: `bun run types:field` compares it. */
export const ROOM_PROBLEMS = {
  file: 'src/fan/next-match/problems.generated.ts',
  text: `/** What each operation of this folder can throw. \`bun run problems\` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { nextMatchProblems } from './problems.ts'

export const thrownBy = {
  readNextMatch: [nextMatchProblems.no_favorite_team, transportProblems.invalid_cursor],
} as const
`,
}

/** Adds it to a copy of the repository. @throws Error if a file lacks what is changed */
export async function addRoom(copy: string): Promise<void> {
  for (const [, file = '', code = ''] of page.matchAll(/`(src\/[\w/-]+\.ts)`: [\s\S]*?```ts\n([\s\S]*?)```/g))
    await Bun.write(join(copy, file), code)
  for (const [file, changes] of Object.entries(EDITS)) {
    const path = join(copy, file)
    let text = readFileSync(path, 'utf8')
    for (const [from, to] of changes) {
      const changed = text.replace(from, to)
      if (changed === text) throw new Error(`${file} does not have ${from}`)
      text = changed
    }
    await Bun.write(path, text)
  }
  await Bun.write(join(copy, ROOM_PROBLEMS.file), ROOM_PROBLEMS.text)
}
