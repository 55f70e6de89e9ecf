/** What a body does that matters for its problems: it throws, runs other bodies, creates objects, and catches. */
import {
  type CallExpression,
  isArrowFunction,
  isAsExpression,
  isBindingElement,
  isCallExpression,
  isClassDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIdentifier,
  isMethodDeclaration,
  isObjectLiteralExpression,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isSourceFile,
  isStatement,
  isTryStatement,
  isVariableDeclaration,
  type Node,
  type PropertyAccessExpression,
  type TryStatement,
} from 'typescript/unstable/ast'
import { type Caught, readCatch } from './catches.ts'
import type { Sources } from './sources.ts'
import {
  calledName,
  defaultOf,
  forEachPart,
  indexOf,
  isNamed,
  isSignature,
  membersOf,
  nameOf,
  problemOf,
} from './syntax.ts'

export type Step =
  | { does: 'throw'; codes: readonly string[]; at: Node }
  /** Throws the problem that an object has at this member of an interface. */
  | { does: 'throw member'; signature: Node; at: Node }
  | { does: 'run'; body: Node; at: Node }
  /** From here on, calls by an interface can reach the members of the object. */
  | { does: 'create'; object: Node }
  | { does: 'catch'; caught: Caught; steps: readonly Step[] }

/** `// never CODE, CODE: why` before a statement, a member or a declaration; the code `any` stands for all. */
interface Note {
  at: Node
  codes: readonly string[]
  steps: Step[]
}

export interface Bodies {
  stepsOf(body: Node): readonly Step[]
  /** Of what was read until now. */
  notes(): readonly Note[]
  /** Where the types do not tell which problem is thrown. */
  unclear(): readonly Node[]
}

/** `isContext`: whether a destructured name is what a group of routes gives to a handler; the group states its problems. */
export function readBodies(sources: Sources, isContext: (element: Node) => boolean): Bodies {
  const { declarationsOf, isImplementation, codesOf } = sources
  const known = new Map<Node, Step[]>()
  const notes = new Map<Node, Note>()
  const unclear = new Set<Node>()
  return { stepsOf, notes: () => [...notes.values()], unclear: () => [...unclear] }

  function stepsOf(body: Node): readonly Step[] {
    const before = known.get(body)
    if (before) return before
    const steps: Step[] = []
    known.set(body, steps)
    readBody(body, within(isVariableDeclaration(body) ? body.parent.parent : body, steps))
    return steps
  }

  function readBody(body: Node, steps: Step[]): void {
    if (isVariableDeclaration(body) || isPropertyAssignment(body)) {
      if (body.initializer) readPart(body.initializer, steps)
    } else if (isShorthandPropertyAssignment(body)) readName(body, body, steps)
    else if (isBindingElement(body)) {
      readName(body, body, steps)
      if (body.initializer) readPart(body.initializer, steps)
    } else if (isIdentifier(body) || isPropertyAccessExpression(body) || isCallExpression(body))
      readPart(body, steps)
    else forEachPart(body, part => readPart(part, steps))
  }

  /** The list for the steps of a node: that of its note, if it has one. */
  function within(node: Node, steps: Step[]): Step[] {
    const note = notes.get(node) ?? readNote(node)
    if (!note) return steps
    notes.set(node, note)
    steps.push({ does: 'catch', caught: note.codes, steps: note.steps })
    return note.steps
  }

  function readPart(part: Node, outer: Step[]): void {
    // Functions with a name count where the name is used.
    if (isFunctionDeclaration(part)) return
    const steps = isStatement(part) || isPropertyAssignment(part) ? within(part, outer) : outer
    const readParts = () => forEachPart(part, child => readPart(child, steps))
    if (isVariableDeclaration(part) || isBindingElement(part) || isParameterDeclaration(part)) {
      if (part.name && !isIdentifier(part.name)) readPart(part.name, steps)
      const isNamedFunction = isVariableDeclaration(part) && isFunction(part.initializer)
      if (part.initializer && !isNamedFunction) readPart(part.initializer, steps)
    } else if (isTryStatement(part)) readTry(part, steps)
    else if (isCallExpression(part)) readCall(part, steps)
    else if (isPropertyAccessExpression(part)) readAccess(part, steps)
    else if (isPropertyAssignment(part)) readPart(part.initializer, steps)
    else if (isIdentifier(part) || isShorthandPropertyAssignment(part)) readName(part, part, steps)
    else if (isObjectLiteralExpression(part)) {
      steps.push({ does: 'create', object: part })
      // What implements an interface counts where the interface is called. Options of a function that is not known count here.
      const { parent } = part
      const isOption = isCallExpression(parent) && !isKnown(parent.expression)
      for (const member of membersOf(part))
        if (isOption || !isImplementation(member) || !isFunctionMember(member)) readPart(member, steps)
    } else {
      readParts()
      if (problemOf(part)) readThrown(part, steps)
    }
  }

  function readTry({ tryBlock, catchClause, finallyBlock }: TryStatement, steps: Step[]): void {
    const tried: Step[] = []
    const caught = catchClause ? readCatch(catchClause) : []
    steps.push({ does: 'catch', caught, steps: tried })
    readPart(tryBlock, tried)
    if (catchClause) readPart(catchClause.block, steps)
    if (finallyBlock) readPart(finallyBlock, steps)
  }

  function readThrown(at: Node, steps: Step[]): void {
    const problem = problemOf(at)
    if (!problem) return
    const codes = codesOf(problem)
    if (codes.length > 0) steps.push({ does: 'throw', codes, at })
    if (codes.length > 0 || isOfCaughtError(problem)) return
    const declared = declarationsOf(calledName(problem))
    const signatures = declared.filter(isSignature)
    for (const signature of signatures) steps.push({ does: 'throw member', signature, at })
    // A parameter counts at the calls of its function.
    if (signatures.length === 0 && !declared.some(isParameterDeclaration)) unclear.add(at)
  }

  function readCall(call: CallExpression, steps: Step[]): void {
    const { expression, arguments: given } = call
    const method = isPropertyAccessExpression(expression) ? expression.name : undefined
    // What happens after the commit does not reach the caller.
    if (method && isNamed(method, 'afterCommit')) return
    for (const argument of given) if (!isFunction(argument)) readPart(argument, steps)
    const [handler] = given
    const called: Step[] = []
    const caught = method && isNamed(method, 'catch') && handler ? readCatch(handler) : []
    steps.push({ does: 'catch', caught, steps: called })
    readPart(expression, called)
    const callees = declarationsOf(calledName(expression))
    for (const parameter of callees.flatMap(problemParameters)) {
      const argument = given[indexOf(parameter)] ?? defaultOf(parameter)
      if (argument) called.push({ does: 'throw', codes: codesOf(argument), at: argument })
    }
    const body = callees.some(isContext) ? undefined : sources.calleeOf(call)
    if (body) called.push({ does: 'run', body, at: call })
    for (const callback of given.filter(isFunction)) readPart(callback, steps)
  }

  /** Parameters that a function throws as its problem. */
  function problemParameters(callee: Node): Node[] {
    const found: Node[] = []
    const visit = (node: Node): void => {
      const problem = problemOf(node)
      if (problem) found.push(...declarationsOf(problem).filter(({ parent }) => parent === callee))
      forEachPart(node, visit)
    }
    if (isFunctionDeclaration(callee)) visit(callee)
    return found
  }

  function readAccess(access: PropertyAccessExpression, steps: Step[]): void {
    const { expression, name } = access
    const [base] = isIdentifier(expression) ? declarationsOf(expression) : []
    const object =
      base && isVariableDeclaration(base) && isOfModule(base) ? objectIn(base.initializer) : undefined
    const member = object && membersOf(object).find(own => nameOf(own) === nameOf(access))
    // Of an object that is known, nothing but this member.
    if (member) steps.push({ does: 'run', body: member, at: access })
    else if (!object || declarationsOf(name).length === 0) readPart(expression, steps)
    if (!member) readName(name, access, steps)
  }

  /** Whether a call runs a function of the sources. */
  function isKnown(called: Node): boolean {
    return declarationsOf(calledName(called)).some(
      declared =>
        isFunctionDeclaration(declared) ||
        (isVariableDeclaration(declared) && isFunction(declared.initializer)),
    )
  }

  function readName(named: Node, at: Node, steps: Step[]): void {
    for (const body of declarationsOf(named)) if (isBody(body)) steps.push({ does: 'run', body, at })
  }

  function isBody(declared: Node): boolean {
    if (isVariableDeclaration(declared)) return isOfModule(declared) || isFunction(declared.initializer)
    if (isBindingElement(declared)) return !isContext(declared)
    if (isPropertyAssignment(declared)) return isOfModule(declared) || isFunctionMember(declared)
    return (
      isFunctionDeclaration(declared) ||
      isMethodDeclaration(declared) ||
      isShorthandPropertyAssignment(declared) ||
      isGetAccessorDeclaration(declared) ||
      isPropertyDeclaration(declared) ||
      isClassDeclaration(declared) ||
      isSignature(declared)
    )
  }
}

function readNote(node: Node): Note | undefined {
  const { text } = node.getSourceFile()
  const before = text.slice(node.getFullStart(), node.getStart())
  const found = [...before.matchAll(/^\s*\/\/ never ([a-z_]+(?:, [a-z_]+)*): \S/gm)]
  const codes = found.flatMap(([, list = '']) => list.split(', '))
  return codes.length > 0 ? { at: node, codes, steps: [] } : undefined
}

export const isFunction = (node: Node | undefined): boolean =>
  node !== undefined && (isArrowFunction(node) || isFunctionExpression(node))

/** Whether a member holds a function, rather than what a function has returned. */
export function isFunctionMember(member: Node): boolean {
  if (!isPropertyAssignment(member)) return true
  const { initializer } = member
  return isFunction(initializer) || isIdentifier(initializer) || isPropertyAccessExpression(initializer)
}

/** Another error of the type of one that was caught: `new DomainError(error.type)`. */
const isOfCaughtError = (problem: Node): boolean =>
  isPropertyAccessExpression(problem) && isNamed(problem.name, 'type')

/** Outside every function and class. */
function isOfModule(node: Node): boolean {
  for (let outer = node.parent; !isSourceFile(outer); outer = outer.parent)
    if (
      isFunction(outer) ||
      isFunctionDeclaration(outer) ||
      isMethodDeclaration(outer) ||
      isClassDeclaration(outer)
    )
      return false
  return true
}

/** The literal of `{ … } as const satisfies Kind`. */
function objectIn(value: Node | undefined): Node | undefined {
  if (!value || isObjectLiteralExpression(value)) return value
  return isAsExpression(value) || isSatisfiesExpression(value) ? objectIn(value.expression) : undefined
}
