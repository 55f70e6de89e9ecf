/** A file of rows that the command line names. */
import { createReadStream, existsSync } from 'node:fs'
import { type RowFile, rowFormatOf } from '../../src/platform/files/row-file.ts'
import { isDirectory } from './database.ts'
import { fail, failUsage } from './explain.ts'

/** Fails unless the file exists. Its extension determines the format. */
export function rowFileOf(path: string): RowFile {
  if (isDirectory(path)) fail(`${path} is a directory: name the file.`)
  if (!existsSync(path)) fail(`There is no file ${path}.`)
  const format = rowFormatOf(path) ?? failUsage('the name of the file must end in .ndjson, .jsonl or .csv')
  // Guarantee: a file stream without encoding yields buffers.
  return { format, open: () => createReadStream(path) as AsyncIterable<Buffer> }
}
