/** The files `problems.generated.ts`: for each folder, what each of its operations can throw. */
import { dirname, join, relative } from 'node:path'
import {
  isCallExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast'
import { readBodies } from './bodies.ts'
import { findOperations, isParameterOf, type Operation } from './operations.ts'
import type { Sources } from './sources.ts'
import { forEachWithin, isNamed, membersOf, nameOf, valueIn } from './syntax.ts'
import { findThrown, type Thrown } from './thrown.ts'

export const LISTS = 'problems.generated.ts'

/** Characters, as Biome formats. */
const LINE = 110

const HEAD =
  '/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */\n'

export interface Lists {
  /** Text by path from the root. */
  files: Map<string, string>
  thrown: { file: string; key: string; codes: string[]; by: Thrown }[]
  /** As the compiler writes them. */
  errors: string[]
}

/** Of one problem type: the constant of its room, and the file. */
interface Declared {
  constant: string
  file: string
}

/** Codes that an operation states by what it is. */
export interface Implied {
  /** By its group of routes, or because every operation does. */
  always: readonly string[]
  /** By writing. */
  writing: readonly string[]
}

/** `stored`: texts by path; what they list stays in its order. */
export function writeLists(
  sources: Sources,
  root: string,
  implied: Implied,
  stored: ReadonlyMap<string, string>,
): Lists {
  const operations = findOperations(sources)
  const handlers = new Set(operations.flatMap(operation => operation.handlers))
  const bodies = readBodies(sources, element => isParameterOf(element, handlers))
  const declared = readDeclared(sources, root)
  const errors: string[] = []
  const report = (at: Node, message: string) => errors.push(`${sources.placeOf(at)}: error: ${message}`)

  const folders = Map.groupBy(operations, ({ declaration }) =>
    relative(root, dirname(declaration.getSourceFile().fileName)),
  )
  const thrown = [...folders].flatMap(([folder, own]) => {
    const byKey = Map.groupBy(own, ({ key }) => key)
    return [...byKey].flatMap(([key, same]) => {
      const by = findThrown(sources, bodies, {
        roots: same.flatMap(operation => operation.handlers),
        objects: same.flatMap(operation => operation.objects),
      })
      const file = join(folder, LISTS)
      const listed = readLists(stored.get(file) ?? '').filter(entry => entry.key === key)
      const codes = inOrder(
        [...by.keys()].filter(code => !isImplied(code, same)),
        listed.map(({ code }) => code),
      )
      for (const operation of same) checkOperation(operation, codes)
      return codes.length === 0 ? [] : [{ file, key, codes, by }]
    })
  })
  for (const at of bodies.unclear()) report(at, 'The type does not tell which problem this throws.')
  for (const { at, codes, steps } of bodies.notes()) {
    const kept = findThrown(sources, bodies, { roots: steps, objects: 'any' })
    for (const code of codes)
      if (code === 'any' ? kept.size === 0 : !kept.has(code))
        report(at, `Nothing here throws ${code}: remove the note.`)
  }
  const texts = [...Map.groupBy(thrown, ({ file }) => file)].map(
    ([file, lists]) => [file, render(file, lists)] as const,
  )
  return { files: new Map(texts), thrown, errors }

  function isImplied(code: string, operations: Operation[]): boolean {
    return implied.always.includes(code) || (implied.writing.includes(code) && operations.every(isWriting))
  }

  function checkOperation({ key, declaration, problems, handlers: own }: Operation, codes: string[]) {
    if (own.length === 0) report(declaration, `The handler of ${key} was not found.`)
    const value = problems && isPropertyAssignment(problems) ? problems.initializer : undefined
    const isOwn =
      value &&
      isPropertyAccessExpression(value) &&
      isNamed(value.expression, 'thrownBy') &&
      nameOf(value) === key
    if (codes.length > 0 && !isOwn) report(problems ?? declaration, `State \`problems: thrownBy.${key}\`.`)
    if (codes.length === 0 && problems)
      report(problems, `${key} throws no problem of its own: remove \`problems\`.`)
  }

  /** Of several rooms that have the code, the one that the throwing file names. */
  function declarationOf(code: string, by: Thrown): Declared {
    const rooms = declared.get(code) ?? []
    const text = by.get(code)?.at.getSourceFile().text ?? ''
    const found = rooms.length > 1 ? rooms.find(({ constant }) => text.includes(constant)) : rooms[0]
    if (!found) throw new Error(`it is not clear which room declares ${code}`)
    return found
  }

  function render(file: string, lists: Lists['thrown']): string {
    const used = lists.flatMap(({ codes, by }) => codes.map(code => declarationOf(code, by)))
    const imports = [...Map.groupBy(used, room => pathFrom(file, room.file))]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([path, rooms]) => {
        const constants = [...new Set(rooms.map(({ constant }) => constant))].toSorted()
        return `import { ${constants.join(', ')} } from '${path}'`
      })
    const entries = lists.map(({ key, codes, by }) => {
      const items = codes.map(code => `${declarationOf(code, by).constant}.${code}`)
      const line = `  ${key}: [${items.join(', ')}],\n`
      return line.length <= LINE + 1
        ? line
        : `  ${key}: [\n${items.map(item => `    ${item},\n`).join('')}  ],\n`
    })
    return `${HEAD}${imports.join('\n')}\n\nexport const thrownBy = {\n${entries.join('')}} as const\n`
  }
}

function pathFrom(file: string, to: string): string {
  const path = relative(dirname(file), to)
  return path.startsWith('.') ? path : `./${path}`
}

/** As `operation` decides it: by `data`, or by having a body. */
function isWriting({
  declaration: {
    arguments: [described],
  },
}: Operation): boolean {
  const members = described ? membersOf(described) : []
  const data = members.find(member => nameOf(member) === 'data')
  if (data) return valueIn(data).getText() === "'write'"
  return members.some(member => nameOf(member) === 'body')
}

/** Those that are listed as they are, and each other one after what is thrown before it. */
function inOrder(thrown: string[], listed: string[]): string[] {
  const codes = listed.filter(code => thrown.includes(code))
  for (const [index, code] of thrown.entries())
    if (!codes.includes(code)) codes.splice(codes.indexOf(thrown[index - 1] ?? '') + 1, 0, code)
  return codes
}

/** What a file lists. */
export function readLists(text: string): { key: string; code: string; line: number }[] {
  let key = ''
  return text.split('\n').flatMap((content, index) => {
    key = /^ {2}(\w+): \[/.exec(content)?.[1] ?? key
    return [...content.matchAll(/\w+Problems\.(\w+)/g)].map(([, code = '']) => ({
      key,
      code,
      line: index + 1,
    }))
  })
}

/** `export const rewardProblems = defineProblems({ … })` */
function readDeclared({ files }: Sources, root: string): Map<string, Declared[]> {
  const found = new Map<string, Declared[]>()
  for (const file of files)
    forEachWithin(file, node => {
      if (!isCallExpression(node) || !isNamed(node.expression, 'defineProblems')) return
      const constant = isVariableDeclaration(node.parent) ? nameOf(node.parent) : undefined
      const [types] = node.arguments
      if (!constant || !types) return
      for (const type of membersOf(types)) {
        const code =
          nameOf(type) ?? (isPropertyAssignment(type) && isStringLiteral(type.name) ? type.name.text : '')
        found.getOrInsert(code, []).push({ constant, file: relative(root, file.fileName) })
      }
    })
  return found
}
