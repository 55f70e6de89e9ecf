/** `bun run export-catalog [FILE]`: writes the stored catalogue as a file that `import-catalog` reads. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { listUndescribed } from '../src/operate/admin/undescribed-collectibles.ts'
import { entryInFile, exportCatalogue, fileOf } from '../src/play/catalogue-file/export-file.ts'
import { kinds } from '../src/play/catalogue-file/kinds.ts'
import { declareCommand, listOf, runCommand } from './command/command.ts'
import { failFile } from './command/explain.ts'

const LISTS = kinds.map(({ list }) => list)
/** `reward` as well as `rewards`. */
const listNamed = (word: string) => kinds.find(({ kind, list }) => list === word || kind === word)?.list
const isWord = (word: string): word is string => listNamed(word) !== undefined

const command = declareCommand({
  name: 'export-catalog',
  reads: true,
  json: false,
  summary: 'Writes the catalogue, active entries and others, as a file that import-catalog reads.',
  examples: [
    ['catalog.json', 'writes one JSON document'],
    ['catalog.ndjson', 'one entry per line'],
    ['--kind rewards,rules', 'prints these kinds'],
  ],
  notes: `Kinds: ${LISTS.join(', ')}. Entries are in the order of their ids, with all members; quests follow those that they require.
The import of the file changes nothing, and into an empty database it makes the same catalogue.`,
})
  .argument('[file]', 'JSON or NDJSON; - for standard output', '-')
  .option('--kind <kinds>', 'only these kinds, separated by commas', listOf(isWord))

await runCommand(command, async ({ parameters: [path], options, openDatabase, note, print }) => {
  const db = await openDatabase()
  const wanted = options.kind ? options.kind.flatMap(word => listNamed(word) ?? []) : LISTS
  const [catalogue, undescribed] = await db.snapshot(
    async reader => [await exportCatalogue(reader, wanted), await listUndescribed(reader)] as const,
  )
  const text = /\.(ndjson|jsonl)$/.test(path)
    ? linesOf(catalogue)
    : `${JSON.stringify(fileOf(catalogue), null, 2)}\n`
  await (path === '-' ? print(text) : replaceFile(path, text))
  const counts = Object.entries(catalogue).map(([list, entries]) => `${list} ${entries.length}`)
  if (path !== '-') note(`${path}: ${counts.join(', ')}.`)
  if (undescribed.length > 0)
    note(
      `In no pack, and so not in the file: ${undescribed.join(', ')}. An empty database refuses what names them.`,
    )
  for (const { list, overriddenIn } of kinds.filter(({ list }) => wanted.includes(list)))
    for (const { member, by } of overriddenIn(db.read))
      note(`${list}/${member} is set by ${by}, which wins over the catalogue.`)
  return undefined
})

function linesOf(catalogue: Awaited<ReturnType<typeof exportCatalogue>>): string {
  const lines = kinds.flatMap(({ list, kind }) =>
    (catalogue[list] ?? []).map(entry => `${JSON.stringify({ kind, entry: entryInFile(kind, entry) })}\n`),
  )
  return lines.join('')
}

/** Replaces the file atomically, so that a reader never sees half of it. */
async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.${process.pid}.tmp`
  try {
    await writeFile(next, text)
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    failFile(error, path)
  }
}
