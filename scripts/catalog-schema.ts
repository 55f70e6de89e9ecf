/** `bun run catalog-schema`: the JSON Schema of a catalogue's file, for editors; kept in scripts/catalog.schema.json. */
import { catalogJsonSchema } from './import-catalog/json-schema.ts'
import { declareCommand, runCommand } from './command/command.ts'

const command = declareCommand({
  name: 'catalog-schema',
  summary: 'The JSON Schema of what import-catalog takes, for editors.',
  examples: [['> scripts/catalog.schema.json', 'after a change of the schemas']],
  database: false,
})

await runCommand(command, async () => {
  const schema = catalogJsonSchema()
  return { answer: schema, text: JSON.stringify(schema, null, 2) }
})
