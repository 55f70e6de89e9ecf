/** `bun run docs`: writes the generated pages of docs/. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { declareCommand, runCommand } from './command/command.ts'
import { renderProblemCodes } from './docs/problem-codes.ts'

const command = declareCommand({
  name: 'docs',
  summary: 'Writes the generated page of docs/: the problem codes.',
  examples: [['', 'after a change of src/core/problems.ts']],
  database: false,
})

await runCommand(command, async () => {
  const wrote = 'docs/problems.md'
  writeFileSync(join(import.meta.dir, '..', wrote), renderProblemCodes())
  return { json: { wrote: [wrote] }, text: `wrote: ${wrote}` }
})
