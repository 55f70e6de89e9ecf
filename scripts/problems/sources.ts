/** The sources of the server with what the compiler knows about their names: read once, in batches. */
import {
  type CallExpression,
  isArrowFunction,
  isBindingElement,
  isCallExpression,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isObjectBindingPattern,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isShorthandPropertyAssignment,
  type Node,
  type ObjectLiteralExpression,
  type SourceFile,
} from 'typescript/unstable/ast'
import { API, type Symbol as Named, type Project, SymbolFlags, type Type } from 'typescript/unstable/async'
import {
  calledName,
  defaultOf,
  forEachWithin,
  indexOf,
  isNeeded,
  isSignature,
  isValue,
  memberNames,
  membersOf,
  nameOf,
  placeOf,
  problemOf,
  readName,
  valueIn,
} from './syntax.ts'

export interface Sources {
  files: readonly SourceFile[]
  /** Where the thing is declared that an identifier names, or that a destructuring reads, within the sources. */
  declarationsOf(named: Node): readonly Node[]
  /** The members of object literals that implement a member of an interface. */
  implementationsOf(signature: Node): readonly Node[]
  isImplementation(member: Node): boolean
  /** The body that a call of a value runs, such as of what a factory returned; undefined if the types do not tell. */
  calleeOf(call: Node): Node | undefined
  /** The codes of a problem type that is passed to `DomainError`; empty if the type does not tell. */
  codesOf(expression: Node): readonly string[]
  /** `src/file.ts(line,column)`, as the compiler writes it. */
  placeOf(node: Node): string
}

/** `isIncluded` takes the path of a file, relative to `root`. */
export async function readSources(
  root: string,
  config: string,
  isIncluded: (file: string) => boolean,
): Promise<Sources> {
  const api = new API({ cwd: root })
  try {
    const [project] = (await api.updateSnapshot({ openProjects: [config] })).getProjects()
    if (!project) throw new Error(`${config} is no project`)
    return await readProject(root, project, isIncluded)
  } finally {
    await api.close()
  }
}

async function readProject(
  root: string,
  project: Project,
  isIncluded: (file: string) => boolean,
): Promise<Sources> {
  const { program, checker } = project
  const within = (path: string) => path.startsWith(`${root}/`) && isIncluded(path.slice(root.length + 1))
  const names = (await program.getSourceFileNames()).filter(within)
  const files = (await Promise.all(names.map(name => program.getSourceFile(name)))).filter(
    file => file !== undefined,
  )

  const members = new Set(files.flatMap(memberNames))
  const symbols = new Map<Node, Named>()
  const literals: ObjectLiteralExpression[] = []
  const expressions: Node[] = []
  const calls: CallExpression[] = []
  await Promise.all(files.map(readFile))
  const declarations = await readDeclarations()
  const declarationsOf = (named: Node) => {
    const symbol = symbols.get(named)
    return (symbol && declarations.get(symbol)) ?? []
  }
  const implementations = await readImplementations()
  const callees = await readCallees()
  const codes = new Map<Node, string[]>()
  await readCodes(expressions)
  await readCodes(await valuesOfBroadTypes())

  const implementing = new Set([...implementations.values()].flat())
  return {
    files,
    declarationsOf,
    implementationsOf: signature => implementations.get(signature) ?? [],
    isImplementation: member => implementing.has(member),
    calleeOf: call => callees.get(call),
    codesOf: expression => codes.get(expression) ?? [],
    placeOf: node => placeOf(root, node),
  }

  async function readFile(file: SourceFile) {
    const identifiers: Node[] = []
    const shorthands: Node[] = []
    const patterns: (Node & { elements: readonly Node[] })[] = []
    forEachWithin(file, node => {
      if (isIdentifier(node) && isNeeded(node, members)) identifiers.push(node)
      else if (isShorthandPropertyAssignment(node)) shorthands.push(node)
      else if (isObjectBindingPattern(node)) patterns.push(node)
      else if (isObjectLiteralExpression(node)) literals.push(node)
      else if (isCallExpression(node)) calls.push(node)
      const problem = problemOf(node)
      if (problem) expressions.push(problem)
    })
    const found = await checker.getSymbolAtLocation(identifiers)
    for (const [index, node] of identifiers.entries()) note(node, found[index])
    await Promise.all(
      shorthands.map(async node => note(node, await checker.getShorthandAssignmentValueSymbol(node))),
    )
    const types = await checker.getTypeAtLocation(patterns)
    await Promise.all(
      patterns.map((pattern, index) =>
        Promise.all(pattern.elements.map(part => readMember(part, types[index]))),
      ),
    )
  }

  async function readMember(element: Node, type: Type | undefined) {
    if (!type || !isBindingElement(element) || element.dotDotDotToken) return
    const name = readName(element)
    if (name !== undefined && members.has(name)) note(element, await checker.getPropertyOfType(type, name))
  }

  function note(node: Node, symbol: Named | undefined) {
    if (symbol) symbols.set(node, symbol)
  }

  async function readDeclarations() {
    const found = new Map<Named, Node[]>()
    await Promise.all(
      [...new Set(symbols.values())].map(async symbol => {
        const original = symbol.flags & SymbolFlags.Alias ? await checker.getAliasedSymbol(symbol) : symbol
        const nodes = await Promise.all(
          original.declarations.filter(({ path }) => within(path)).map(handle => handle.resolve(project)),
        )
        found.set(
          symbol,
          nodes.filter(node => node !== undefined),
        )
      }),
    )
    return found
  }

  /** Of the members of interfaces that are read somewhere. */
  async function readImplementations() {
    const read = new Set([...declarations.values()].flat().filter(isSignature))
    const wanted = new Set([...read].map(nameOf))
    const found = new Map<Node, Set<Node>>()
    await Promise.all(
      literals.map(async literal => {
        const own = membersOf(literal).filter(member => wanted.has(nameOf(member)))
        if (own.length === 0) return
        const type = await checker.getContextualType(literal)
        for (const part of type ? await partsOf(type) : [])
          for (const member of own) {
            const property = await checker.getPropertyOfType(part, nameOf(member) ?? '')
            for (const handle of property?.declarations ?? []) {
              if (!within(handle.path)) continue
              const signature = await handle.resolve(project)
              if (signature && read.has(signature)) found.getOrInsert(signature, new Set()).add(member)
            }
          }
      }),
    )
    return new Map([...found].map(([signature, own]) => [signature, [...own]]))
  }

  async function readCallees() {
    const found = new Map<Node, Node>()
    const ofValues = calls.filter(call => {
      return declarationsOf(calledName(call.expression)).some(isValue)
    })
    await Promise.all(
      ofValues.map(async call => {
        const handle = (await checker.getResolvedSignature(call))?.declaration
        const body = handle && within(handle.path) ? await handle.resolve(project) : undefined
        if (body && (isArrowFunction(body) || isFunctionExpression(body) || isFunctionDeclaration(body)))
          found.set(call, body)
      }),
    )
    return found
  }

  async function readCodes(nodes: Node[]) {
    const types = await checker.getTypeAtLocation(nodes)
    await Promise.all(
      nodes.map(async (node, index) => {
        const type = types[index]
        codes.set(node, type ? await codesIn(type) : [])
      }),
    )
  }

  async function codesIn(type: Type): Promise<string[]> {
    const parts = await partsOf(type)
    if (parts.length > 1) return (await Promise.all(parts.map(codesIn))).flat()
    const code = await checker.getPropertyOfType(type, 'code')
    const value = code && (await checker.getTypeOfSymbol(code))
    if (!value) return []
    return (await partsOf(value)).flatMap(part => (part.isStringLiteralType() ? [String(part.value)] : []))
  }

  /** What is passed for problem types that a type does not tell: arguments for a parameter, and members of an implementation. */
  async function valuesOfBroadTypes(): Promise<Node[]> {
    const broad = expressions.filter(expression => codes.get(expression)?.length === 0)
    const declared = broad.flatMap(node => declarationsOf(calledName(node)))
    const values = declared.filter(isSignature).flatMap(signature => implementations.get(signature) ?? [])
    const functions = new Map(
      declared.filter(isParameterDeclaration).map(parameter => [parameter.parent, parameter]),
    )
    const passed = calls.flatMap(call => {
      const parameter = declarationsOf(call.expression)
        .map(callee => functions.get(callee))
        .find(Boolean)
      const argument = parameter && call.arguments[indexOf(parameter)]
      return argument ? [argument] : []
    })
    const defaults = [...functions.values()].flatMap(parameter => defaultOf(parameter) ?? [])
    return [...values.map(valueIn), ...passed, ...defaults]
  }
}

async function partsOf(type: Type): Promise<readonly Type[]> {
  return type.isUnionType() ? await type.getTypes() : [type]
}
