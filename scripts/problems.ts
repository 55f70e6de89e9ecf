/**
 * `bun run problems`: writes what each operation can throw, for the OpenAPI document and the types of the clients.
 * `--check` writes nothing and reports in the format of the compiler; `bun run typecheck` runs it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { transportProblems } from '../src/core/transport-problems.ts'
import { consoleProblems } from '../src/identity/staff/problems.ts'
import { COMMON_PROBLEMS } from '../src/platform/http/contract/operation.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { compareLists } from './problems/compare.ts'
import { LISTS, writeLists } from './problems/lists.ts'
import { readSources } from './problems/sources.ts'

const command = declareCommand({
  name: 'problems',
  summary: 'Writes which problems each operation can throw, by following its handler.',
  examples: [
    ['', `writes each ${LISTS} from the bodies of the verbs`],
    ['--check', 'writes nothing; exits with 1 if a list differs from the bodies'],
  ],
  database: false,
}).option('--check', 'only compare the lists with the bodies')

const { every, write } = COMMON_PROBLEMS
const IMPLIED = {
  always: [
    ...every,
    transportProblems.invalid_token,
    transportProblems.suspended,
    consoleProblems.permission_denied,
  ].map(({ code }) => code),
  writing: write.map(({ code }) => code),
}

/** Programs of their own. */
const OTHERS = /^src\/(client|react|backend|console)\//

await runCommand(command, async ({ options: { check } }): Promise<CommandResult> => {
  const root = join(import.meta.dir, '..')
  const isServer = (file: string) => file.startsWith('src/') && !OTHERS.test(file)
  const sources = await readSources(root, join(root, 'tsconfig.json'), isServer)
  const files = [...new Glob(`src/**/${LISTS}`).scanSync(root)].filter(isServer)
  const stored = new Map(files.map(file => [file, readFileSync(join(root, file), 'utf8')]))
  const lists = writeLists(sources, root, IMPLIED, stored)
  if (check) {
    const errors = [...lists.errors, ...compareLists(sources, lists, stored)]
    return { json: { errors }, text: errors.join('\n'), found: errors.length > 0 }
  }
  for (const file of files) if (!lists.files.has(file)) rmSync(join(root, file))
  for (const [file, text] of lists.files) writeFileSync(join(root, file), text)
  const { errors } = lists
  const wrote = [...lists.files.keys()]
  const text = [`wrote: ${wrote.length} files`, ...errors].join('\n')
  return { json: { wrote, errors }, text, found: errors.length > 0 }
})
