/**
 * `bun run types:console`: changes operations of the console and words of rules in a copy of the tree, generates the client of the
 * pages again, and counts what does not compile in the pages. Fails where a change is not found.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLIENTS, renderClientTypes } from '../../scripts/build/client-types.ts'

interface Change {
  what: string
  file: string
  replaced: string
  by: string
  /** In the message of the compiler. */
  named: string
}

const CHANGES: Change[] = [
  {
    what: 'a member of a response has another name',
    file: 'src/operate/admin/fans/schema.ts',
    replaced: 'more: Type.Boolean(',
    by: 'hasOthers: Type.Boolean(',
    named: "'more' does not exist",
  },
  {
    what: 'conditions have another operator',
    file: 'src/club/catalogue/operators.ts',
    replaced: "'exists'] as const",
    by: "'exists', 'matches'] as const",
    named: "'matches' is missing",
  },
  {
    what: 'the catalogue has no kind of this name',
    file: 'src/economy/rules/rule-kind.ts',
    replaced: "kind: 'rule'",
    by: "kind: 'earning'",
    named: `'"rule"' have no overlap`,
  },
  {
    what: 'decisions have another reason',
    file: 'src/identity/sanctions/reasons.ts',
    replaced: "'other'] as const",
    by: "'other', 'doxing'] as const",
    named: "'doxing' is missing",
  },
]

const root = join(import.meta.dir, '../..')
const copy = mkdtempSync(join(tmpdir(), 'matchday-contract-'))
process.on('exit', () => rmSync(copy, { recursive: true }))

for (const part of ['package.json', 'tsconfig.json', 'src', 'db', 'scripts', 'docs'])
  cpSync(join(root, part), join(copy, part), {
    recursive: true,
    filter: path => !/node_modules|\/db\/migrations\//.test(path),
  })
for (const folder of ['node_modules', 'src/client/node_modules'])
  symlinkSync(join(root, folder), join(copy, folder))
for (const { file, replaced, by } of CHANGES) {
  const text = readFileSync(join(copy, file), 'utf8')
  if (text.split(replaced).length !== 2) throw new Error(`${file} does not have this once: ${replaced}`)
  writeFileSync(join(copy, file), text.replace(replaced, by))
}
writeFileSync(join(copy, CLIENTS.console.file), await renderClientTypes(copy, 'console'))

const tsc = join(root, 'node_modules/typescript/bin/tsc')
const { stdout } = Bun.spawnSync([process.execPath, tsc, '--noEmit', '-p', join(copy, 'src/console')])
const errors = stdout.toString().split('\n')
for (const { what, named } of CHANGES) {
  const count = errors.filter(line => line.includes(named)).length
  process.stdout.write(`${what}: ${count} ${count === 1 ? 'error' : 'errors'} in the pages\n`)
  if (count === 0) process.exitCode = 1
}
if (process.exitCode === 1) process.stdout.write(stdout)
