/** `grantPoints` as words: "Grant points". */
export function wordsOf(operation: string): string {
  const words = operation.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
