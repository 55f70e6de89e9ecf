/** The code of the documentation for clients: TypeScript is written out to be compiled, Swift and Kotlin are parsed. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Language, type Node, Parser } from 'web-tree-sitter'

const root = join(import.meta.dir, '..', '..')
const PAGES = ['README.md', 'docs/clients.md', 'docs/first-steps.md']

interface Snippet {
  /** Such as `docs/clients.md, swift 2`. */
  name: string
  code: string
}

async function snippetsOf(language: string): Promise<Snippet[]> {
  const found: Snippet[] = []
  for (const page of PAGES) {
    const blocks = (await Bun.file(join(root, page)).text()).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)
    const codes = [...blocks].flatMap(([, name, code = '']) => (name === language ? [code] : []))
    found.push(...codes.map((code, at) => ({ name: `${page}, ${language} ${at + 1}`, code })))
  }
  if (found.length < 2) throw new Error(`the documentation has no code in ${language}`)
  return found
}

/** Where a name comes from that a snippet uses and another snippet imports. */
const IMPORTS = {
  UserManager: 'oidc-client-ts',
  createClient: '@matchday/client',
  authorize: 'react-native-app-auth',
}

/** Writes each snippet as a module: those with the types of the routes into one folder, the others into another. */
export async function writeTypeScript(onRoutes: string, others: string): Promise<void> {
  for (const folder of [onRoutes, others]) await mkdir(folder, { recursive: true })
  for (const [at, { name, code }] of (await snippetsOf('ts')).entries()) {
    const missing = Object.entries(IMPORTS).filter(
      ([used]) => new RegExp(`\\b${used}\\(`).test(code) && !new RegExp(`import .*\\b${used}\\b`).test(code),
    )
    const imports = missing.map(([used, module]) => `import { ${used} } from '${module}'\n`).join('')
    const text = `// ${name}\n${imports}${code}\nexport {}\n`
    await Bun.write(
      join(text.includes("'matchday/src/app/eden.ts'") ? onRoutes : others, `snippet-${at}.ts`),
      text,
    )
  }
}

/** @throws Error with the place of each syntax error */
export async function parseSnippets(language: 'swift' | 'kotlin'): Promise<void> {
  await Parser.init()
  const grammar = join(import.meta.dir, `node_modules/tree-sitter-wasms/out/tree-sitter-${language}.wasm`)
  const parser = new Parser().setLanguage(await Language.load(grammar))
  const errors = (await snippetsOf(language)).flatMap(({ name, code }) => {
    const tree = parser.parse(code)
    return tree ? errorsIn(tree.rootNode).map(place => `${name}: ${place}`) : [`${name}: not parsed`]
  })
  if (errors.length > 0) throw new Error(errors.join('\n'))
}

function errorsIn(node: Node): string[] {
  if (!node.hasError) return []
  if (!node.isError && !node.isMissing) return node.children.flatMap(child => (child ? errorsIn(child) : []))
  const { row, column } = node.startPosition
  return [`line ${row + 1}, column ${column + 1}: ${JSON.stringify(node.text.slice(0, 60))}`]
}
