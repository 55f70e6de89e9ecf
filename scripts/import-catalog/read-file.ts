/** Reads the catalogue file that the command line names, and reports its errors. */
import { decodeText } from '../../src/core/decode-text.ts'
import type { Fault } from '../../src/platform/files/located-json.ts'
import { type CatalogueFile, readCatalogue } from '../../src/play/catalogue-file/read-file.ts'
import { fail } from '../command/explain.ts'
import { describeFaults } from './report.ts'

/** `-` is standard input. */
export const readCatalogueFile = async (path: string): Promise<CatalogueFile> =>
  readCatalogue(await readText(path), /\.(ndjson|jsonl)$/.test(path))

async function readText(path: string): Promise<string> {
  const source = path === '-' ? Bun.stdin : Bun.file(path)
  const bytes = await source.bytes().catch(() => fail(`${path} is not readable.`))
  return decodeText(bytes) ?? fail(`${path} is not text in UTF-8: save it as UTF-8.`)
}

export function rejectFile(faults: Fault[]) {
  return { json: { errors: faults }, text: describeFaults(faults), found: true }
}
