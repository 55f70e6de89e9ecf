/** Where the stored lists differ from what the bodies throw, as the compiler writes errors. */
import { type Lists, readLists } from './lists.ts'
import type { Sources } from './sources.ts'

const REMEDY = 'Run `bun run problems`.'

/** `stored`: texts by path. */
export function compareLists(sources: Sources, lists: Lists, stored: Map<string, string>): string[] {
  const errors: string[] = []
  for (const file of new Set([...stored.keys(), ...lists.files.keys()])) {
    const text = stored.get(file) ?? ''
    if (text === lists.files.get(file)) continue
    const before = errors.length
    const listed = readLists(text)
    const thrown = lists.thrown.filter(list => list.file === file)
    for (const { key, codes, by } of thrown)
      for (const code of codes)
        if (!listed.some(entry => entry.key === key && entry.code === code))
          errors.push(
            `${placeOf(by.get(code))}: error: ${key} throws ${code}, which ${file} does not list. ${REMEDY}`,
          )
    for (const { key, code, line } of listed)
      if (!thrown.some(list => list.key === key && list.codes.includes(code)))
        errors.push(`${file}(${line},1): error: ${key} does not throw ${code}. ${REMEDY}`)
    if (errors.length === before)
      errors.push(`${file}(1,1): error: The file differs from what is written. ${REMEDY}`)
  }
  return errors

  function placeOf(thrown: { at: Parameters<Sources['placeOf']>[0] } | undefined): string {
    return thrown ? sources.placeOf(thrown.at) : ''
  }
}
