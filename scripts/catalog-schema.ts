/** `bun run catalog-schema`: the JSON Schema of a catalogue file, for editors; stored in scripts/catalog.schema.json. */

import { catalogJsonSchema } from '../src/play/catalogue-file/json-schema.ts'
import { declareCommand, runCommand } from './command/command.ts'

const command = declareCommand({
  name: 'catalog-schema',
  summary: 'Prints the JSON Schema of the files of import-catalog, for editors.',
  examples: [['> scripts/catalog.schema.json', 'updates it after a change of the schemas']],
  database: false,
})

await runCommand(command, async () => {
  const schema = catalogJsonSchema()
  return { json: schema, text: JSON.stringify(schema, null, 2) }
})
