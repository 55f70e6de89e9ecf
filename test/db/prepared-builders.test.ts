/** The builders of prepared statements in the sources: none decides by a value that it gets as a parameter of the statement. */
import { expect, test } from 'bun:test'
import { Glob } from 'bun'

const root = `${import.meta.dir}/../..`

/** The index of the bracket that closes the one at `from`. */
function closing(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if ('([{'.includes(text[at] ?? '')) depth++
    if (')]}'.includes(text[at] ?? '') && --depth === 0) return at
  }
  throw new Error('a bracket is not closed')
}

/** The parameters and the body of the function that begins at `from`, up to the end of the text where it is an expression. */
function functionAt(text: string, from: number): { parameters: string; body: string } {
  const open = text.indexOf('(', from)
  const end = closing(text, open)
  return { parameters: text.slice(open + 1, end), body: text.slice(end + 1) }
}

/** The builders of a file: those in place, and named functions of the same file. */
function buildersIn(text: string): { parameters: string; body: string }[] {
  return [...text.matchAll(/\bprepared(?:Row|Last)?(?:<[^(]*>)?\(/g)].flatMap(({ index, 0: call }) => {
    const open = index + call.length - 1
    const given = text.slice(open + 1, closing(text, open)).trim()
    const name = /^\w+$/.exec(given)?.[0]
    if (name === undefined) return [functionAt(given, 0)]
    const declared = new RegExp(`(?:function ${name}\\(|const ${name} = \\()`).exec(text)
    // Functions of other files are not checked. There is one, `countsOfOwned`, which only passes its values on.
    if (!declared) return []
    const { parameters, body } = functionAt(text, declared.index)
    return [{ parameters, body: body.split(/\n\}?\n(?=\S|\n)/)[0] ?? '' }]
  })
}

/** The names of the values of a builder: not the first parameter, which is the reader or the transaction. */
function valuesOf(parameters: string): string[] {
  const comma = parameters.indexOf(',')
  if (comma < 0) return []
  return [...parameters.slice(comma + 1).matchAll(/(?:^|[{,])\s*(?:\.\.\.)?(\w+)(?=\s*[,}:?]|$)/g)].map(
    ([, name]) => name ?? '',
  )
}

/** Where a builder decides by a value: only whether there is one, and booleans that are compared, are known to it. */
function decisionsIn(text: string): string[] {
  return buildersIn(text).flatMap(({ parameters, body }) =>
    valuesOf(parameters).flatMap(name => {
      const value = `${name}\\b(?:\\.\\w+)*`
      const isKnown = '\\s*[!=]==\\s*(?:undefined|null|true|false)\\b'
      const decision = new RegExp(
        `(?<![.\\w'])(?:!${value}|${value}(?!${isKnown})\\s*(?:\\?(?!\\.)|&&|\\|\\||[<>]=?\\s|[!=]==?))`,
        'g',
      )
      return [...body.matchAll(decision)].map(({ index }) => body.slice(index, index + 40))
    }),
  )
}

test('No builder of a prepared statement decides by the text, number or date of a value', async () => {
  const paths = [...new Glob('{src,db,scripts}/**/*.ts').scanSync(root)].filter(
    path => !/node_modules|\.generated\.ts$|^db\/prepared\.ts$/.test(path),
  )
  const texts = await Promise.all(paths.map(path => Bun.file(`${root}/${path}`).text()))
  expect(texts.flatMap(buildersIn).length).toBeGreaterThan(200)
  const found = paths.map((path, n) => [path, decisionsIn(texts[n] ?? '')] as const)
  expect(found.filter(([, decisions]) => decisions.length > 0)).toEqual([])
})

test.each([
  ['name ? eq(a, name) : undefined'],
  ["eq(a, name || 'x')"],
  ['!name && eq(a, name)'],
  ["name === 'all' ? undefined : eq(a, name)"],
  ['name && eq(a, name)'],
  ["name ?? 'x'"],
  ['name > 0 ? eq(a, name) : undefined'],
])('The check finds %s', decision => {
  const inPlace = `const select = prepared((reader: Reader, { name }: Wanted) => reader.where(${decision}))\n`
  const named = `const build = (reader: Reader, name: string) =>\n  reader.where(${decision})\n\nconst x = preparedRow(build)\n`
  expect([decisionsIn(inPlace), decisionsIn(named)].map(({ length }) => length > 0)).toEqual([true, true])
})

test('The check leaves out whether there is a value', () => {
  const text =
    'prepared((tx: Tx, id: string | null, on: boolean) => tx.where(id === null ? a : eq(b, id), on === true ? c : d))'
  expect(decisionsIn(text)).toEqual([])
})
