/** Licences that require at most a notice. */
const PERMISSIVE = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT'],
  ...['MIT-0', 'Python-2.0', 'Unlicense', 'Zlib'],
])

/** Whether an SPDX expression allows a choice of only permissive licences. */
export function isPermissive(license: string | null): boolean {
  if (license === null) return false
  const alternatives = license.replace(/[()]/g, ' ').split(/\sOR\s/)
  return alternatives.some(terms => terms.split(/\sAND\s/).every(term => PERMISSIVE.has(term.trim())))
}
