/** The operations: where each is declared, what handles it, and which list of problems it names. */
import {
  type CallExpression,
  isArrowFunction,
  isCallExpression,
  isFunctionDeclaration,
  isIdentifier,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isSourceFile,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast'
import { isFunction } from './bodies.ts'
import type { Sources } from './sources.ts'
import { forEachWithin, indexOf, isNamed, membersOf, nameOf, valueIn } from './syntax.ts'

export interface Operation {
  /** Of its list: its id, or the name that several operations of one declaration share. */
  key: string
  declaration: CallExpression
  /** `thrownBy.key`; undefined if it names no list. */
  problems: Node | undefined
  /** Functions whose problems are its own: its handler, and what its group calls of its own file. */
  handlers: readonly Node[]
  /** The object that describes it, for a function that declares operations from such objects. */
  objects: readonly Node[]
}

const DECLARE = ['operation', 'consoleOperation', 'action']
/** Members of `action` that run in its handler. */
const RUN = ['subject', 'verb', 'respond']

export function findOperations(sources: Sources): Operation[] {
  const calls: CallExpression[] = []
  for (const file of sources.files)
    forEachWithin(file, node => {
      if (isCallExpression(node)) calls.push(node)
    })
  return calls.flatMap(declaration => {
    if (!DECLARE.some(name => isNamed(declaration.expression, name))) return []
    const [described] = declaration.arguments
    const members = described ? membersOf(described) : []
    const problems = members.find(member => nameOf(member) === 'problems')
    const key = keyOf(problems) ?? idOf(members.find(member => nameOf(member) === 'id'))
    const handlers = handlersOf(declaration)
    const descriptions = descriptionsOf(problems)
    if (descriptions.length > 0)
      return descriptions.map(object => {
        const own = membersOf(object).find(member => nameOf(member) === 'problems')
        const id = idOf(membersOf(object).find(member => nameOf(member) === 'id')) ?? ''
        return { key: id, declaration, problems: own, handlers, objects: [object] }
      })
    // The call of `operation` within `consoleOperation`.
    if (key === undefined) return []
    return [{ key, declaration, problems, handlers, objects: [] }]
  })

  function idOf(member: Node | undefined): string | undefined {
    const value = member && isPropertyAssignment(member) ? member.initializer : undefined
    if (!value) return undefined
    if (isStringLiteral(value)) return value.text
    const [declared] = isIdentifier(value) ? sources.declarationsOf(value) : []
    return declared &&
      isVariableDeclaration(declared) &&
      declared.initializer &&
      isStringLiteral(declared.initializer)
      ? declared.initializer.text
      : undefined
  }

  /** Of `problems: change.problems`, where `change` is a parameter: what the calls of the function pass for it. */
  function descriptionsOf(problems: Node | undefined): Node[] {
    const value = problems && isPropertyAssignment(problems) ? problems.initializer : undefined
    const described = value && isPropertyAccessExpression(value) ? value.expression : undefined
    const parameter = described && sources.declarationsOf(described).find(isParameterDeclaration)
    const declarer = parameter && declarerOf(parameter)
    if (!parameter || !declarer) return []
    return calls
      .filter(call => sources.declarationsOf(call.expression).includes(declarer))
      .flatMap(call => call.arguments[indexOf(parameter)] ?? [])
  }

  /** Of `.post(path, handler, operation(…))`, also if a function of the file returns the declaration. */
  function handlersOf(declaration: CallExpression): Node[] {
    const { parent } = declaration
    const run = isNamed(declaration.expression, 'action') ? declaration.arguments.flatMap(membersOf) : []
    if (run.length > 0) return run.filter(member => RUN.includes(nameOf(member) ?? '')).map(valueIn)
    if (isCallExpression(parent) && isPropertyAccessExpression(parent.expression)) {
      const handler = parent.arguments[parent.arguments.indexOf(declaration) - 1]
      return [...(handler ? [handler] : []), ...groupFunctionsOf(parent)]
    }
    const declarer = declarerOf(declaration)
    return calls
      .filter(call => declarer && sources.declarationsOf(call.expression).includes(declarer))
      .flatMap(call => handlersOf(call))
  }
}

/** Functions that are passed to the group of a route: `signed({ … }, verify)`. */
function groupFunctionsOf(route: CallExpression): Node[] {
  let group: Node = route
  while (isCallExpression(group) && isPropertyAccessExpression(group.expression))
    group = group.expression.expression
  return isCallExpression(group) ? group.arguments.filter(isFunction) : []
}

/** Whether a destructured name is what the group gives to a handler, such as `caller` and `write`. */
export function isParameterOf(element: Node, handlers: ReadonlySet<Node>): boolean {
  for (let outer = element.parent; !isSourceFile(outer); outer = outer.parent)
    if (isParameterDeclaration(outer)) return handlers.has(outer.parent)
  return false
}

function declarerOf(node: Node): Node | undefined {
  for (let outer = node.parent; !isSourceFile(outer); outer = outer.parent) {
    if (isFunctionDeclaration(outer)) return outer
    if (isArrowFunction(outer) && isVariableDeclaration(outer.parent)) return outer.parent
  }
  return undefined
}

function keyOf(member: Node | undefined): string | undefined {
  const value = member && isPropertyAssignment(member) ? member.initializer : undefined
  return value && isPropertyAccessExpression(value) && isNamed(value.expression, 'thrownBy')
    ? nameOf(value)
    : undefined
}
