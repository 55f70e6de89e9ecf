/** Reads the JSON document of a command that verifies it. */
import { findInexactNumbers } from '../../src/core/exact-json.ts'
import { fail } from './explain.ts'

/** Fails unless the text is JSON with numbers that JavaScript can read exactly. */
export async function parseDocument(name: string, read: () => Promise<string>): Promise<unknown> {
  let text: string
  let value: unknown
  try {
    text = await read()
    value = JSON.parse(text)
  } catch {
    return fail(`${name} cannot be read as JSON.`)
  }
  const [inexact] = findInexactNumbers(text, 1)
  return inexact ? fail(`${name}: ${inexact.pointer} ${inexact.message}.`) : value
}
