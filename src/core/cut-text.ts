/** The first units of UTF-16, without half of a character. */
export function startOf(text: string, max: number): string {
  const start = text.slice(0, max)
  return (text.length > max ? start.replace(/[\ud800-\udbff]$/, '') : start).toWellFormed()
}

/** At most so many units of UTF-16, the last of them an ellipsis if something is missing. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text.toWellFormed() : `${startOf(text, max - 1)}…`
