/** What the guide uses of highlight.js. */
export const highlighter: {
  highlight(code: string, options: { language: string }): { value: string }
  getLanguage(name: string): object | undefined
}
