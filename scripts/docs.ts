/** `bun run docs`: writes what is generated from the sources: in docs/, and the types of the client. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENT_TYPES, renderClientTypes } from './build/client-types.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { renderFloors } from './docs/floors.ts'
import { renderProblemCodes } from './docs/problem-codes.ts'

const command = declareCommand({
  name: 'docs',
  summary: 'Writes the problem codes and the picture of the floors in docs/, and the types of the client.',
  examples: [['', 'after a change of a `problems.ts`, a `schema.ts` or a `routes.ts` in src']],
  database: false,
})

await runCommand(command, async () => {
  const root = join(import.meta.dir, '..')
  const files = {
    'docs/problems.md': renderProblemCodes(),
    'docs/floors.svg': renderFloors(),
    [CLIENT_TYPES]: await renderClientTypes(root),
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text)
  const wrote = Object.keys(files)
  return { json: { wrote }, text: `wrote: ${wrote.join(', ')}` }
})
